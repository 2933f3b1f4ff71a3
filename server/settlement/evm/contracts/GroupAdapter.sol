// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, IERC20} from "./Interfaces.sol";
import {Owned} from "./Owned.sol";
import {Pairs} from "./Pairs.sol";
import {Payments} from "./Payments.sol";
import {TokenReceiver} from "./TokenReceiver.sol";
import {WrappedCollateral} from "./WrappedCollateral.sol";

/// Groups of markets of which exactly one wins. Their children are conditions whose oracle is this
/// contract. A NO of some children converts into YES of the others and collateral.
contract GroupAdapter is Owned, TokenReceiver {
    using Payments for IERC20;
    using Payments for IConditionalTokens;
    using Pairs for IConditionalTokens;

    struct Group {
        uint256 feeBps;
        uint256 children;
        bool isResolved;
    }

    uint256 private constant BPS = 10_000;
    /// To convert a position of so many takes 7.3 of the 16.8 million gas of a transaction.
    uint256 private constant CHILDREN_MAX = 50;
    /// Holds the NO of converted positions for ever.
    address public constant BURN = address(0xdead);

    IERC20 public immutable collateral;
    IConditionalTokens public immutable conditionalTokens;
    WrappedCollateral private immutable wrapped_;
    address public vault;
    mapping(bytes32 => Group) public groups;
    mapping(bytes32 conditionId => bool) public isChild;

    event VaultChanged(address vault);
    event GroupPrepared(bytes32 indexed groupId, uint256 feeBps, uint256 children, bytes metadata);
    event GroupResolved(bytes32 indexed groupId, uint256 winner);
    event PositionsConverted(
        address indexed holder, bytes32 indexed groupId, uint256 indexSet, uint256 amount
    );

    error GroupKnown();
    error GroupUnknown();
    error GroupEnded();
    error ChildrenInvalid();
    error FeeInvalid();
    error ChildUnknown();
    error WinnerInvalid();
    error ReceiverInvalid();
    error IndexSetInvalid();

    constructor(IERC20 collateral_, IConditionalTokens conditionalTokens_, address vault_) {
        collateral = collateral_;
        conditionalTokens = conditionalTokens_;
        _setVault(vault_);
        wrapped_ = new WrappedCollateral();
        wrapped_.approve(address(conditionalTokens_), type(uint256).max);
    }

    function wrapped() external view returns (address) {
        return address(wrapped_);
    }

    /// The vault takes ERC-1155 tokens: without it, conversions with a fee fail.
    function setVault(address next) external onlyOwner {
        _setVault(next);
    }

    function _setVault(address next) private {
        if (next == address(0) || next == address(this)) revert ReceiverInvalid();
        vault = next;
        emit VaultChanged(next);
    }

    // ----------------------------------------------------------------- Groups

    /// The id of a group: the last byte is zero, and the id of question i has i there.
    function groupIdOf(uint256 feeBps, bytes calldata metadata) public view returns (bytes32) {
        bytes32 hash = keccak256(abi.encode(address(this), feeBps, metadata));
        return hash & ~bytes32(uint256(0xff));
    }

    function conditionOf(bytes32 groupId, uint256 index) public view returns (bytes32) {
        return Pairs.conditionOf(_questionOf(groupId, index));
    }

    function prepareGroup(uint256 feeBps, bytes calldata metadata, uint256 children)
        external
        onlyOperator
        whenNotPaused
        returns (bytes32 groupId)
    {
        if (feeBps > BPS) revert FeeInvalid();
        if (children < 2 || children > CHILDREN_MAX) revert ChildrenInvalid();
        groupId = groupIdOf(feeBps, metadata);
        if (groups[groupId].children != 0) revert GroupKnown();
        groups[groupId] = Group(feeBps, children, false);
        for (uint256 i = 0; i < children; i++) {
            isChild[conditionalTokens.prepare(_questionOf(groupId, i))] = true;
        }
        emit GroupPrepared(groupId, feeBps, children, metadata);
    }

    /// Resolves all children at once: the winner to YES, the others to NO.
    function resolveGroup(bytes32 groupId, uint256 winner) external onlyResolver whenNotPaused {
        Group storage group = groups[groupId];
        if (group.children == 0) revert GroupUnknown();
        if (group.isResolved) revert GroupEnded();
        if (winner >= group.children) revert WinnerInvalid();
        group.isResolved = true;
        uint256[] memory payouts = new uint256[](2);
        for (uint256 i = 0; i < group.children; i++) {
            payouts[0] = i == winner ? 1 : 0;
            payouts[1] = 1 - payouts[0];
            conditionalTokens.reportPayouts(_questionOf(groupId, i), payouts);
        }
        emit GroupResolved(groupId, winner);
    }

    function _questionOf(bytes32 groupId, uint256 index) private pure returns (bytes32) {
        return groupId | bytes32(index);
    }

    // -------------------------------------------------------------- Positions

    /// Takes collateral of the caller, who gets a YES and a NO of the child for each unit.
    function splitPosition(bytes32 conditionId, uint256 amount) external {
        _requireChild(conditionId);
        collateral.pull(msg.sender, address(this), amount);
        wrapped_.mint(amount);
        _split(conditionId, amount);
        uint256[] memory ids = _idsOf(conditionId);
        _batch(address(this), msg.sender, ids, _twice(amount));
    }

    /// Takes a YES and a NO of the child for each unit of collateral that the caller gets.
    function mergePositions(bytes32 conditionId, uint256 amount) external {
        _requireChild(conditionId);
        _batch(msg.sender, address(this), _idsOf(conditionId), _twice(amount));
        conditionalTokens.mergePositions(_backing(), 0, conditionId, Pairs.both(), amount);
        _release(address(this), msg.sender, amount);
    }

    /// Redeems YES and NO of a resolved child for the caller.
    function redeemPositions(bytes32 conditionId, uint256 yes, uint256 no) external {
        _requireChild(conditionId);
        uint256[] memory amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (yes, no);
        _batch(msg.sender, address(this), _idsOf(conditionId), amounts);
        conditionalTokens.redeemPositions(_backing(), 0, conditionId, Pairs.both());
        // Of what the adapter held besides, the caller gets nothing.
        uint256 whole = conditionalTokens.payoutDenominator(conditionId);
        uint256 paid = (yes * conditionalTokens.payoutNumerators(conditionId, 0)) / whole;
        paid += (no * conditionalTokens.payoutNumerators(conditionId, 1)) / whole;
        _release(address(this), msg.sender, paid);
    }

    /// Gives the collateral for wrapped units that the caller got by a merge or a redemption of its
    /// own.
    function unwrap(uint256 amount) external {
        _release(msg.sender, msg.sender, amount);
    }

    /// Takes a NO of each child in `indexSet` (bit i is child i). Gives YES of every other child,
    /// and collateral for all but one of the NO.
    function convertPositions(bytes32 groupId, uint256 indexSet, uint256 amount)
        external
        whenNotPaused
    {
        Group memory group = groups[groupId];
        if (group.children == 0) revert GroupUnknown();
        if (group.isResolved) revert GroupEnded();
        if (indexSet == 0 || indexSet >> group.children != 0) revert IndexSetInvalid();
        if (amount == 0) return;
        uint256 fee = (amount * group.feeBps) / BPS;
        uint256 taken = 0;
        for (uint256 i = 0; i < group.children; i++) {
            bytes32 conditionId = conditionOf(groupId, i);
            uint256[] memory ids = _idsOf(conditionId);
            if ((indexSet >> i) & 1 == 1) {
                taken++;
                conditionalTokens.move(msg.sender, BURN, ids[1], amount);
                continue;
            }
            // The group pays for the new pairs in advance: the burnt NO pay it back.
            wrapped_.mint(amount);
            _split(conditionId, amount);
            conditionalTokens.move(address(this), msg.sender, ids[0], amount - fee);
            conditionalTokens.move(address(this), vault, ids[0], fee);
            conditionalTokens.move(address(this), BURN, ids[1], amount);
        }
        collateral.pay(msg.sender, (taken - 1) * (amount - fee));
        collateral.pay(vault, (taken - 1) * fee);
        emit PositionsConverted(msg.sender, groupId, indexSet, amount);
    }

    function _requireChild(bytes32 conditionId) private view {
        if (!isChild[conditionId]) revert ChildUnknown();
    }

    function _backing() private view returns (IERC20) {
        return IERC20(address(wrapped_));
    }

    function _split(bytes32 conditionId, uint256 amount) private {
        conditionalTokens.splitPosition(_backing(), 0, conditionId, Pairs.both(), amount);
    }

    function _release(address from, address to, uint256 amount) private {
        if (amount == 0) return;
        wrapped_.burn(from, amount);
        collateral.pay(to, amount);
    }

    function _batch(address from, address to, uint256[] memory ids, uint256[] memory amounts)
        private
    {
        conditionalTokens.safeBatchTransferFrom(from, to, ids, amounts, "");
    }

    function _idsOf(bytes32 conditionId) private view returns (uint256[] memory) {
        return conditionalTokens.idsOf(_backing(), conditionId);
    }

    function _twice(uint256 amount) private pure returns (uint256[] memory amounts) {
        amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (amount, amount);
    }
}
