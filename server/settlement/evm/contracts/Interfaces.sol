// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The parts of other contracts that the exchange calls.

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address holder) external view returns (uint256);
}

interface IERC1271 {
    /// @return 0x1626ba7e when the contract takes `signature` as its own.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// Gnosis conditional tokens: an ERC-1155 whose ids are positions of conditions.
interface IConditionalTokens {
    function prepareCondition(address oracle, bytes32 questionId, uint256 outcomeSlotCount) external;
    function reportPayouts(bytes32 questionId, uint256[] calldata payouts) external;
    function splitPosition(
        IERC20 collateral,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external;
    function mergePositions(
        IERC20 collateral,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external;
    function redeemPositions(
        IERC20 collateral,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets
    ) external;
    function safeTransferFrom(
        address from,
        address to,
        uint256 id,
        uint256 amount,
        bytes calldata data
    ) external;
    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external;
    function setApprovalForAll(address operator, bool isApproved) external;
    function balanceOf(address holder, uint256 id) external view returns (uint256);
    function getCollectionId(bytes32 parent, bytes32 conditionId, uint256 indexSet)
        external
        view
        returns (bytes32);
    function getOutcomeSlotCount(bytes32 conditionId) external view returns (uint256);
    function payoutNumerators(bytes32 conditionId, uint256 outcome) external view returns (uint256);
    /// 0 until the payout is posted.
    function payoutDenominator(bytes32 conditionId) external view returns (uint256);
}

/// Splits and merges positions of children of groups, whose collateral is wrapped.
interface IGroupAdapter {
    function wrapped() external view returns (IERC20);
    function isChild(bytes32 conditionId) external view returns (bool);
    function splitPosition(bytes32 conditionId, uint256 amount) external;
    function mergePositions(bytes32 conditionId, uint256 amount) external;
}

interface IWalletFactory {
    function walletOf(address owner) external view returns (address);
}
