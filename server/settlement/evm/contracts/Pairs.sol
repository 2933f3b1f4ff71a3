// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The two outcomes of a condition: YES is index set 1, NO is 2.
library Pairs {
    function both() internal pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }
}
