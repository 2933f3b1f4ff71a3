// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271, IWalletFactory} from "./Interfaces.sol";
import {Signatures} from "./Signatures.sol";

/// The typed order of the exchange (EIP-712, version 1); `signature` is not signed.
struct Order {
    uint256 salt;
    address maker;
    address signer;
    address taker;
    uint256 tokenId;
    uint256 makerAmount;
    uint256 takerAmount;
    uint256 expiration;
    uint256 nonce;
    uint256 feeRateBps;
    uint8 side;
    uint8 signatureType;
    bytes signature;
}

/// What an order says by its amounts.
struct Terms {
    bool isBuy;
    /// Without a price: it spends or sells exactly `makerAmount`.
    bool isMarket;
    /// Shares of a limit order or a market sale, collateral of a market buy. Raw, 6 decimals.
    uint256 size;
    /// Price in thousandths, 1 to 999; 0 for a market order.
    uint256 ticks;
}

/// Checks orders by the rules of the exchange (rules §1.1 to §1.6). It differs in three ways: it
/// knows the nonce of a maker, it takes an order for a while after its expiration, and it asks a
/// wallet of type 3 itself.
abstract contract Orders {
    uint256 internal constant TICKS = 1000;
    /// Raw shares.
    uint256 internal constant SIZE_STEP = 1000;
    uint256 private constant SIZE_MAX = 1e13;
    uint256 internal constant BPS = 10_000;
    uint256 private constant FEE_MAX_BPS = 1000;
    /// A trade that was made before an order expired has this long to reach the chain. The chain
    /// does not know when it was made.
    uint256 public constant SETTLEMENT_WINDOW = 1 hours;
    bytes32 private constant ORDER_TYPE = keccak256(
        "Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,"
        "uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,"
        "uint256 feeRateBps,uint8 side,uint8 signatureType)"
    );
    bytes32 private constant DOMAIN_TYPE = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    bytes32 public immutable domainSeparator;
    IWalletFactory public immutable wallets;
    /// An order must carry the nonce of its maker.
    mapping(address => uint256) public nonces;
    /// Shares; collateral for a market buy. The largest number when the order is canceled.
    mapping(bytes32 => uint256) public filled;

    event NonceIncremented(address indexed maker, uint256 nonce);
    event OrderCanceled(bytes32 indexed orderHash);

    error SaltInvalid();
    error TokenUnknown();
    error TakerInvalid();
    error NonceInvalid();
    error OrderExpired();
    error FeeRateInvalid();
    error SideInvalid();
    error AmountsInvalid();
    error SignatureInvalid();
    error NotYours();

    constructor(string memory name, IWalletFactory factory) {
        wallets = factory;
        domainSeparator = keccak256(
            abi.encode(DOMAIN_TYPE, keccak256(bytes(name)), keccak256("1"), block.chainid, address(this))
        );
    }

    /// Makes every order with the old nonce of the caller invalid.
    function incrementNonce() external {
        emit NonceIncremented(msg.sender, ++nonces[msg.sender]);
    }

    /// Cancels an order of the caller.
    function cancelOrder(Order calldata order) external {
        if (msg.sender != order.maker && msg.sender != order.signer) revert NotYours();
        // Whoever names himself as its signer changes the hash.
        bytes32 hash = hashOrder(order);
        filled[hash] = type(uint256).max;
        emit OrderCanceled(hash);
    }

    function hashOrder(Order calldata order) public view returns (bytes32) {
        bytes32 inner = keccak256(
            abi.encode(
                ORDER_TYPE,
                order.salt,
                order.maker,
                order.signer,
                order.taker,
                order.tokenId,
                order.makerAmount,
                order.takerAmount,
                order.expiration,
                order.nonce,
                order.feeRateBps,
                order.side,
                order.signatureType
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domainSeparator, inner));
    }

    /// Reverts unless the order is one that the exchange accepts; its funds are not looked at.
    function validateOrder(Order calldata order)
        public
        view
        returns (bytes32 hash, Terms memory terms)
    {
        if (order.salt == 0) revert SaltInvalid();
        if (order.taker != address(0)) revert TakerInvalid();
        if (!_isToken(order.tokenId)) revert TokenUnknown();
        if (order.nonce != nonces[order.maker]) revert NonceInvalid();
        if (order.feeRateBps > FEE_MAX_BPS) revert FeeRateInvalid();
        if (order.expiration != 0 && block.timestamp > order.expiration) {
            if (block.timestamp - order.expiration > SETTLEMENT_WINDOW) revert OrderExpired();
        }
        terms = termsOf(order);
        hash = hashOrder(order);
        checkSignature(order, hash);
    }

    /// Whether a token is one of a market of this exchange.
    function _isToken(uint256 id) internal view virtual returns (bool);

    function termsOf(Order calldata order) public pure returns (Terms memory terms) {
        if (order.side > 1) revert SideInvalid();
        terms.isBuy = order.side == 0;
        if (order.takerAmount == 1) {
            terms.isMarket = true;
            terms.size = order.makerAmount;
            if (terms.size == 0 || terms.size > SIZE_MAX) revert AmountsInvalid();
            return terms;
        }
        (uint256 shares, uint256 collateral) = terms.isBuy
            ? (order.takerAmount, order.makerAmount)
            : (order.makerAmount, order.takerAmount);
        bool isSize = shares > 0 && shares <= SIZE_MAX && shares % SIZE_STEP == 0;
        if (!isSize || collateral == 0 || collateral >= shares) revert AmountsInvalid();
        if ((collateral * TICKS) % shares != 0) revert AmountsInvalid();
        terms.size = shares;
        terms.ticks = (collateral * TICKS) / shares;
    }

    function checkSignature(Order calldata order, bytes32 hash) public view {
        address signer = Signatures.recover(hash, order.signature);
        if (order.signatureType == 3) {
            if (order.signer == address(0)) revert SignatureInvalid();
            if (order.signer != order.maker && order.signer != signer) revert SignatureInvalid();
            try IERC1271(order.maker).isValidSignature(hash, order.signature) returns (bytes4 magic) {
                if (magic == Signatures.ERC1271_MAGIC) return;
            } catch {}
            revert SignatureInvalid();
        }
        if (order.signatureType > 3) revert SignatureInvalid();
        // Types 1 and 2 both name the wallet that the factory makes for the signer.
        address maker =
            order.signatureType == 0 ? order.signer : wallets.walletOf(order.signer);
        if (maker != order.maker) revert SignatureInvalid();
        if (signer == address(0) || signer != order.signer) revert SignatureInvalid();
    }

    /// The most that a taker pays for a whole trade: in shares for a buy, in collateral for a sale.
    function feeCap(uint256 bps, bool isBuy, uint256 shares, uint256 collateral)
        public
        pure
        returns (uint256)
    {
        if (collateral == 0 || collateral >= shares) return 0;
        uint256 rest = shares - collateral;
        uint256 least = collateral < rest ? collateral : rest;
        return isBuy ? (bps * least * shares) / (collateral * BPS) : (bps * least) / BPS;
    }
}
