// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// Collateral of a local chain: anyone can make units.
contract TestDollar is Token {
    string public constant name = "Test dollar";
    string public constant symbol = "TUSD";

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
