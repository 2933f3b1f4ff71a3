// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, IERC20} from "./Interfaces.sol";

/// Moves collateral and shares; an amount of zero moves nothing.
library Payments {
    error TransferFailed();

    function pull(IERC20 token, address from, address to, uint256 amount) internal {
        if (amount == 0) return;
        if (!token.transferFrom(from, to, amount)) revert TransferFailed();
    }

    function pay(IERC20 token, address to, uint256 amount) internal {
        if (amount == 0) return;
        if (!token.transfer(to, amount)) revert TransferFailed();
    }

    function move(IConditionalTokens tokens, address from, address to, uint256 id, uint256 amount)
        internal
    {
        if (amount == 0) return;
        tokens.safeTransferFrom(from, to, id, amount, "");
    }
}
