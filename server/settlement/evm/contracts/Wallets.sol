// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Signatures} from "./Signatures.sol";
import {TokenReceiver} from "./TokenReceiver.sol";

/// A wallet of one owner key, who needs no gas: whoever sends a call that the owner signed pays.
/// It takes signatures of its owner as its own (EIP-1271).
contract Wallet is TokenReceiver {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    bytes32 private constant CALL_TYPE =
        keccak256("Call(address target,uint256 value,bytes data)");
    bytes32 private constant CALLS_TYPE = keccak256(
        "Calls(Call[] calls,uint256 id,uint256 deadline)Call(address target,uint256 value,bytes data)"
    );
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");

    address private immutable factory;
    address public owner;
    /// Ids of the signed calls that were made: each is made once.
    mapping(uint256 id => bool) public isMade;

    error AlreadyOwned();
    error NotOwner();
    error NotFactory();
    error CallsKnown();
    error DeadlinePassed();
    error CallFailed(bytes reason);

    constructor() {
        factory = msg.sender;
    }

    /// The factory calls it once, in the transaction that makes the wallet.
    function setOwner(address first) external {
        if (owner != address(0)) revert AlreadyOwned();
        owner = first;
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        if (msg.sender != owner) revert NotOwner();
        _call(target, value, data);
    }

    /// Makes calls, all or none, that the owner signed for this wallet, an id and a time. Only
    /// the factory calls it, so each is in its events.
    function executeSigned(
        Call[] calldata calls,
        uint256 id,
        uint256 deadline,
        bytes calldata signature
    ) external {
        if (msg.sender != factory) revert NotFactory();
        if (block.timestamp > deadline) revert DeadlinePassed();
        if (isMade[id]) revert CallsKnown();
        isMade[id] = true;
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            hashes[i] = keccak256(
                abi.encode(CALL_TYPE, calls[i].target, calls[i].value, keccak256(calls[i].data))
            );
        }
        bytes32 inner = keccak256(
            abi.encode(CALLS_TYPE, keccak256(abi.encodePacked(hashes)), id, deadline)
        );
        bytes32 hash = keccak256(abi.encodePacked(hex"1901", domainSeparator(), inner));
        if (!_isOwners(hash, signature)) revert NotOwner();
        for (uint256 i = 0; i < calls.length; i++) {
            _call(calls[i].target, calls[i].value, calls[i].data);
        }
    }

    function domainSeparator() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE, block.chainid, address(this)));
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isOwners(hash, signature) ? Signatures.ERC1271_MAGIC : bytes4(0xffffffff);
    }

    function _isOwners(bytes32 hash, bytes calldata signature) private view returns (bool) {
        address signer = Signatures.recover(hash, signature);
        return signer != address(0) && signer == owner;
    }

    function _call(address target, uint256 value, bytes calldata data) private {
        (bool isDone, bytes memory reason) = target.call{value: value}(data);
        if (!isDone) revert CallFailed(reason);
    }

    receive() external payable {}
}

/// Makes one wallet for each owner. Its address is known before it exists.
contract WalletFactory {
    Wallet public immutable implementation;

    event WalletMade(address indexed owner, address wallet);
    event CallsMade(uint256 indexed id, address indexed wallet);

    error OwnerInvalid();
    error MakingFailed();

    constructor() {
        implementation = new Wallet();
        // Nobody can own the code that all wallets share.
        implementation.setOwner(address(1));
    }

    /// Makes calls that an owner signed for its wallet, and the wallet if it does not exist. Anyone
    /// may pay for it; `id` is the owner's own number of the calls.
    function execute(
        address owner,
        Wallet.Call[] calldata calls,
        uint256 id,
        uint256 deadline,
        bytes calldata signature
    ) external {
        address wallet = make(owner);
        Wallet(payable(wallet)).executeSigned(calls, id, deadline, signature);
        emit CallsMade(id, wallet);
    }

    /// Makes the wallet, unless it exists. Anyone may pay for it.
    function make(address owner) public returns (address wallet) {
        if (owner == address(0)) revert OwnerInvalid();
        wallet = walletOf(owner);
        if (wallet.code.length > 0) return wallet;
        bytes memory code = _codeOf();
        bytes32 salt = _saltOf(owner);
        address made;
        assembly {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        if (made != wallet) revert MakingFailed();
        Wallet(payable(made)).setOwner(owner);
        emit WalletMade(owner, made);
    }

    function walletOf(address owner) public view returns (address) {
        bytes32 hash = keccak256(
            abi.encodePacked(bytes1(0xff), address(this), _saltOf(owner), keccak256(_codeOf()))
        );
        return address(uint160(uint256(hash)));
    }

    function _saltOf(address owner) private pure returns (bytes32) {
        return keccak256(abi.encode(owner));
    }

    /// The creation code of a minimal proxy (EIP-1167).
    function _codeOf() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
            address(implementation),
            hex"5af43d82803e903d91602b57fd5bf3"
        );
    }
}
