// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// The collateral of children of groups: a unit for each unit of collateral that the adapter holds,
/// and those with which a conversion pays in advance.
contract WrappedCollateral is Token {
    string public constant name = "Wrapped collateral";
    string public constant symbol = "WCOL";
    address public immutable adapter = msg.sender;

    error NotAdapter();

    modifier onlyAdapter() {
        if (msg.sender != adapter) revert NotAdapter();
        _;
    }

    function mint(uint256 amount) external onlyAdapter {
        _mint(adapter, amount);
    }

    function burn(address from, uint256 amount) external onlyAdapter {
        _burn(from, amount);
    }
}
