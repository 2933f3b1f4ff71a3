// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, IERC20} from "./Interfaces.sol";

/// Conditions with two outcomes, whose oracle is this contract: YES is index set 1, NO is 2.
library Pairs {
    function both() internal pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }

    function conditionOf(bytes32 questionId) internal view returns (bytes32) {
        return keccak256(abi.encodePacked(address(this), questionId, uint256(2)));
    }

    /// Prepares the condition of a question. Anyone may have prepared it before.
    function prepare(IConditionalTokens tokens, bytes32 questionId)
        internal
        returns (bytes32 conditionId)
    {
        conditionId = conditionOf(questionId);
        if (tokens.getOutcomeSlotCount(conditionId) == 0) {
            tokens.prepareCondition(address(this), questionId, 2);
        }
    }

    /// The token ids of YES and NO.
    function idsOf(IConditionalTokens tokens, IERC20 backing, bytes32 conditionId)
        internal
        view
        returns (uint256[] memory ids)
    {
        ids = new uint256[](2);
        for (uint256 i = 0; i < 2; i++) {
            bytes32 collection = tokens.getCollectionId(0, conditionId, i + 1);
            ids[i] = uint256(keccak256(abi.encodePacked(address(backing), collection)));
        }
    }
}
