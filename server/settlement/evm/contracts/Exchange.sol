// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, IERC20, IGroupAdapter, IWalletFactory} from "./Interfaces.sol";
import {Order, Orders, Terms} from "./Orders.sol";
import {Owned} from "./Owned.sol";
import {Pairs} from "./Pairs.sol";
import {Payments} from "./Payments.sol";
import {TokenReceiver} from "./TokenReceiver.sol";

/// Settles trades that an operator matched. Funds stay in the wallets of their owners, who approve
/// this contract.
///
/// What the contract guarantees: an order is filled only with its owner's signature, for no more
/// than its size, at its price or better, with a fee within its signed rate (`feeCap`, for each
/// trade in which it is the taker), and a trade is settled once.
///
/// What it leaves to the operator: who trades with whom and when, until the order is canceled here
/// or expires; whether a fee is taken. A cancel that only the exchange knows does not bind the
/// operator. A market order has no price: give it an expiration.
contract Exchange is Owned, Orders, TokenReceiver {
    using Payments for IERC20;
    using Payments for IConditionalTokens;
    using Pairs for IConditionalTokens;

    /// A resting order and how many shares of it are filled.
    struct MakerFill {
        Order order;
        uint256 shares;
    }

    /// An arriving order and all that it met.
    struct Trade {
        /// The operator's own number of the trade.
        uint256 id;
        Order taker;
        MakerFill[] makers;
        /// In shares for a buy, in collateral for a sale.
        uint256 fee;
    }

    /// A token of a market: its condition, and the token of the other outcome.
    struct Outcome {
        bytes32 conditionId;
        uint256 complement;
        bool isOfGroup;
    }

    /// What a trade moves, while it is settled.
    struct Totals {
        uint256 shares;
        uint256 collateral;
        /// Shares that are split or merged.
        uint256 pairs;
    }

    /// Left for the end of a call and the event of a failed trade.
    uint256 private constant GAS_KEPT = 30_000;
    uint256 private constant REASON_MAX = 256;

    IERC20 public immutable collateral;
    IConditionalTokens public immutable conditionalTokens;
    IGroupAdapter public immutable adapter;
    address public feeReceiver;
    mapping(uint256 tokenId => Outcome) public tokens;
    /// A bit for each id of a trade.
    mapping(uint256 word => uint256) private settled;

    event FeeReceiverChanged(address feeReceiver);
    event MarketRegistered(bytes32 indexed conditionId, uint256 yes, uint256 no);
    event OrderFilled(
        bytes32 indexed orderHash, address indexed maker, uint256 tokenId, uint256 shares, uint256 collateral
    );
    event TradeSettled(uint256 indexed id, uint256 shares, uint256 collateral, uint256 fee);
    event TradeFailed(uint256 indexed id, bytes reason);

    error NotSelf();
    error GasTooLow();
    error ReceiverInvalid();
    error MarketResolved();
    error TradeKnown();
    error TokenKnown();
    error ChildUnknown();
    error NotCrossing();
    error SelfTrade();
    error Overfilled();
    error NothingFilled();
    error FeeTooHigh();

    constructor(
        string memory domainName,
        IERC20 collateral_,
        IConditionalTokens conditionalTokens_,
        IGroupAdapter adapter_,
        IWalletFactory factory,
        address feeReceiver_
    ) Orders(domainName, factory) {
        collateral = collateral_;
        conditionalTokens = conditionalTokens_;
        adapter = adapter_;
        _setFeeReceiver(feeReceiver_);
        collateral_.approve(address(conditionalTokens_), type(uint256).max);
        collateral_.approve(address(adapter_), type(uint256).max);
        conditionalTokens_.setApprovalForAll(address(adapter_), true);
    }

    /// The receiver takes ERC-1155 tokens: without it, trades with a fee fail.
    function setFeeReceiver(address next) external onlyOwner {
        _setFeeReceiver(next);
    }

    function _setFeeReceiver(address next) private {
        if (next == address(0) || next == address(this)) revert ReceiverInvalid();
        feeReceiver = next;
        emit FeeReceiverChanged(next);
    }

    // ---------------------------------------------------------------- Markets

    /// Prepares the condition of a market, whose oracle is this contract, and its two tokens.
    function prepareMarket(bytes32 questionId) external onlyOperator {
        _register(conditionalTokens.prepare(questionId), collateral, false);
    }

    /// Registers the tokens of a child of a group, whose condition the adapter has prepared.
    function registerChild(bytes32 conditionId) external onlyOperator {
        if (!adapter.isChild(conditionId)) revert ChildUnknown();
        _register(conditionId, adapter.wrapped(), true);
    }

    /// Posts the payout of a market, as numerators of YES and NO.
    function reportPayouts(bytes32 questionId, uint128 yes, uint128 no)
        external
        onlyResolver
        whenNotPaused
    {
        uint256[] memory payouts = new uint256[](2);
        (payouts[0], payouts[1]) = (yes, no);
        conditionalTokens.reportPayouts(questionId, payouts);
    }

    function _isToken(uint256 id) internal view override returns (bool) {
        return tokens[id].complement != 0;
    }

    function _register(bytes32 conditionId, IERC20 backing, bool isOfGroup) private {
        uint256[] memory ids = conditionalTokens.idsOf(backing, conditionId);
        (uint256 yes, uint256 no) = (ids[0], ids[1]);
        if (tokens[yes].complement != 0) revert TokenKnown();
        tokens[yes] = Outcome(conditionId, no, isOfGroup);
        tokens[no] = Outcome(conditionId, yes, isOfGroup);
        emit MarketRegistered(conditionId, yes, no);
    }

    // ----------------------------------------------------------------- Trades

    /// Settles trades one by one: what is wrong with one does not stop the others. Each gets
    /// `gasEach` for its taker and for each maker, so that a wallet that burns gas fails its own
    /// trade only.
    function matchTrades(Trade[] calldata trades, uint256 gasEach)
        external
        onlyOperator
        whenNotPaused
    {
        for (uint256 i = 0; i < trades.length; i++) {
            // A call gets at most 63 of 64 parts of what is left.
            uint256 gasMax = gasEach * (trades[i].makers.length + 1);
            if (gasleft() < gasMax + gasMax / 63 + GAS_KEPT) revert GasTooLow();
            (bool isSettled, bytes memory reason) =
                _try(gasMax, abi.encodeCall(this.settle, (trades[i])));
            if (!isSettled) emit TradeFailed(trades[i].id, reason);
        }
    }

    /// Settles one trade, or reverts.
    function matchOrders(Trade calldata trade) external onlyOperator whenNotPaused {
        _settle(trade);
    }

    /// For `matchTrades` alone.
    function settle(Trade calldata trade) external {
        if (msg.sender != address(this)) revert NotSelf();
        _settle(trade);
    }

    /// Fills an order at its own price from the funds of the operator, in steps of 1,000 raw shares.
    function fillOrder(Order calldata order, uint256 shares) external onlyOperator whenNotPaused {
        (bytes32 hash, Terms memory terms) = validateOrder(order);
        if (terms.isMarket || shares == 0 || shares % SIZE_STEP != 0) revert AmountsInvalid();
        _requireOpen(tokens[order.tokenId]);
        _fill(hash, shares, terms.size);
        uint256 amount = (shares * terms.ticks) / TICKS;
        (address buyer, address seller) =
            terms.isBuy ? (order.maker, msg.sender) : (msg.sender, order.maker);
        collateral.pull(buyer, seller, amount);
        conditionalTokens.move(seller, buyer, order.tokenId, shares);
        emit OrderFilled(hash, order.maker, order.tokenId, shares, amount);
    }

    function _settle(Trade calldata trade) private {
        Order calldata taker = trade.taker;
        (bytes32 hash, Terms memory terms) = validateOrder(taker);
        Outcome memory token = tokens[taker.tokenId];
        _requireOpen(token);
        _settleOnce(trade.id);
        uint256[] memory amounts = new uint256[](trade.makers.length);
        Totals memory totals = _takeMakers(trade, terms, token, amounts);
        if (totals.shares == 0) revert NothingFilled();
        _fillTaker(hash, terms, totals);
        uint256 cap = feeCap(taker.feeRateBps, terms.isBuy, totals.shares, totals.collateral);
        if (trade.fee > cap) revert FeeTooHigh();
        if (terms.isBuy) _deliverBuy(trade, token, totals, amounts);
        else _deliverSale(trade, token, totals, amounts);
        emit OrderFilled(hash, taker.maker, taker.tokenId, totals.shares, totals.collateral);
        emit TradeSettled(trade.id, totals.shares, totals.collateral, trade.fee);
    }

    function _requireOpen(Outcome memory token) private view {
        if (conditionalTokens.payoutDenominator(token.conditionId) != 0) revert MarketResolved();
    }

    function _settleOnce(uint256 id) private {
        uint256 bit = 1 << (id & 0xff);
        uint256 bits = settled[id >> 8];
        if (bits & bit != 0) revert TradeKnown();
        settled[id >> 8] = bits | bit;
    }

    /// A market order is filled whole.
    function _fillTaker(bytes32 hash, Terms memory terms, Totals memory totals) private {
        uint256 amount = terms.isMarket && terms.isBuy ? totals.collateral : totals.shares;
        if (terms.isMarket && amount != terms.size) revert Overfilled();
        _fill(hash, amount, terms.size);
    }

    function _fill(bytes32 hash, uint256 amount, uint256 size) private {
        uint256 before = filled[hash];
        if (before > size || amount > size - before) revert Overfilled();
        filled[hash] = before + amount;
    }

    /// Checks every maker and notes its fill; `amounts` are the collateral of each.
    function _takeMakers(
        Trade calldata trade,
        Terms memory terms,
        Outcome memory token,
        uint256[] memory amounts
    ) private returns (Totals memory totals) {
        for (uint256 i = 0; i < trade.makers.length; i++) {
            Order calldata order = trade.makers[i].order;
            uint256 shares = trade.makers[i].shares;
            if (shares == 0) revert NothingFilled();
            // Only a market order has the fraction of a raw unit, which its taker bears.
            if (!terms.isMarket && shares % SIZE_STEP != 0) revert AmountsInvalid();
            (bytes32 hash, Terms memory maker) = validateOrder(order);
            if (order.maker == trade.taker.maker) revert SelfTrade();
            bool isSame = order.tokenId == trade.taker.tokenId;
            if (!isSame && order.tokenId != token.complement) revert TokenUnknown();
            if (maker.isMarket || isSame == (maker.isBuy == terms.isBuy)) revert NotCrossing();
            _fill(hash, shares, maker.size);
            // The maker's price of the taker's token.
            uint256 ticks = isSame ? maker.ticks : TICKS - maker.ticks;
            if (!terms.isMarket && (terms.isBuy ? ticks > terms.ticks : ticks < terms.ticks)) {
                revert NotCrossing();
            }
            uint256 value = shares * ticks;
            uint256 paid = terms.isBuy ? (value + TICKS - 1) / TICKS : value / TICKS;
            amounts[i] = isSame ? paid : shares - paid;
            totals.shares += shares;
            totals.collateral += paid;
            if (!isSame) totals.pairs += shares;
            emit OrderFilled(hash, order.maker, order.tokenId, shares, amounts[i]);
        }
    }

    /// The taker pays; sellers of its token deliver, and pairs are split with buyers of the other.
    function _deliverBuy(
        Trade calldata trade,
        Outcome memory token,
        Totals memory totals,
        uint256[] memory amounts
    ) private {
        Order calldata taker = trade.taker;
        collateral.pull(taker.maker, address(this), totals.collateral);
        for (uint256 i = 0; i < trade.makers.length; i++) {
            Order calldata order = trade.makers[i].order;
            if (order.tokenId != taker.tokenId) {
                collateral.pull(order.maker, address(this), amounts[i]);
                continue;
            }
            conditionalTokens.move(order.maker, address(this), order.tokenId, trade.makers[i].shares);
            collateral.pay(order.maker, amounts[i]);
        }
        if (totals.pairs > 0) {
            _split(token, totals.pairs);
            for (uint256 i = 0; i < trade.makers.length; i++) {
                Order calldata order = trade.makers[i].order;
                if (order.tokenId == taker.tokenId) continue;
                conditionalTokens.move(address(this), order.maker, order.tokenId, trade.makers[i].shares);
            }
        }
        conditionalTokens.move(address(this), taker.maker, taker.tokenId, totals.shares - trade.fee);
        conditionalTokens.move(address(this), feeReceiver, taker.tokenId, trade.fee);
    }

    /// The taker delivers; buyers of its token pay, and pairs are merged with sellers of the other.
    function _deliverSale(
        Trade calldata trade,
        Outcome memory token,
        Totals memory totals,
        uint256[] memory amounts
    ) private {
        Order calldata taker = trade.taker;
        conditionalTokens.move(taker.maker, address(this), taker.tokenId, totals.shares);
        for (uint256 i = 0; i < trade.makers.length; i++) {
            Order calldata order = trade.makers[i].order;
            uint256 shares = trade.makers[i].shares;
            if (order.tokenId == taker.tokenId) {
                collateral.pull(order.maker, address(this), amounts[i]);
                conditionalTokens.move(address(this), order.maker, order.tokenId, shares);
            } else {
                conditionalTokens.move(order.maker, address(this), order.tokenId, shares);
            }
        }
        if (totals.pairs > 0) {
            _merge(token, totals.pairs);
            for (uint256 i = 0; i < trade.makers.length; i++) {
                Order calldata order = trade.makers[i].order;
                if (order.tokenId != taker.tokenId) collateral.pay(order.maker, amounts[i]);
            }
        }
        collateral.pay(taker.maker, totals.collateral - trade.fee);
        collateral.pay(feeReceiver, trade.fee);
    }

    /// Calls this contract. Copies little of the reason: a wallet may revert with a lot.
    function _try(uint256 gasMax, bytes memory data)
        private
        returns (bool isDone, bytes memory reason)
    {
        uint256 length;
        assembly {
            isDone := call(gasMax, address(), 0, add(data, 32), mload(data), 0, 0)
            length := returndatasize()
        }
        if (isDone) return (true, "");
        if (length > REASON_MAX) length = REASON_MAX;
        reason = new bytes(length);
        assembly {
            returndatacopy(add(reason, 32), 0, length)
        }
    }

    // ------------------------------------------------------------------ Funds

    function _split(Outcome memory token, uint256 amount) private {
        if (token.isOfGroup) adapter.splitPosition(token.conditionId, amount);
        else conditionalTokens.splitPosition(collateral, 0, token.conditionId, Pairs.both(), amount);
    }

    function _merge(Outcome memory token, uint256 amount) private {
        if (token.isOfGroup) adapter.mergePositions(token.conditionId, amount);
        else conditionalTokens.mergePositions(collateral, 0, token.conditionId, Pairs.both(), amount);
    }
}
