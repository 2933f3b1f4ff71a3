// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, IERC20} from "./Interfaces.sol";
import {TokenReceiver} from "./TokenReceiver.sol";

/// A wallet of two owners, who approve the hash of what it signs. It needs no signature.
contract PairWallet is TokenReceiver {
    address private immutable ONE;
    address private immutable OTHER;
    mapping(bytes32 => mapping(address => bool)) private approved;

    constructor(address one, address other) {
        ONE = one;
        OTHER = other;
    }

    function approveHash(bytes32 hash) external {
        approved[hash][msg.sender] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata) external view returns (bytes4) {
        return approved[hash][ONE] && approved[hash][OTHER] ? bytes4(0x1626ba7e) : bytes4(0);
    }
}

/// A wallet that answers in a wrong way, by its first byte of a signature.
contract OddWallet {
    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        uint8 way = uint8(signature[0]);
        if (way == 0) while (gasleft() > 0) {}
        if (way == 1) assembly { invalid() }
        if (way == 2) revert("no");
        if (way == 3) assembly { return(0, 0) }
        if (way == 4) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        }
        if (way == 5) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 100000)
            }
        }
        return bytes4(0xffffffff);
    }
}

/// A wallet that accepts every order. As soon as it receives shares, it passes a part of them on,
/// and some collateral.
contract PassingWallet {
    IERC20 private immutable COLLATERAL;
    address private immutable TO;

    constructor(IERC20 collateral, address to) {
        COLLATERAL = collateral;
        TO = to;
    }

    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }

    function onERC1155Received(address, address, uint256 id, uint256 amount, bytes calldata)
        external
        returns (bytes4)
    {
        IConditionalTokens shares = IConditionalTokens(msg.sender);
        shares.safeTransferFrom(address(this), TO, id, amount / 4, "");
        require(COLLATERAL.transfer(TO, 1), "not passed on");
        return this.onERC1155Received.selector;
    }
}
