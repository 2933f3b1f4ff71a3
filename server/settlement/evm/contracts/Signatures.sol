// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Signatures of 65 bytes r, s, v, as the exchange takes them: v is 27 or 28, and s is in the lower
/// half of the curve's order.
library Signatures {
    bytes4 internal constant ERC1271_MAGIC = 0x1626ba7e;
    uint256 private constant HALF_CURVE =
        0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @return The signer, or the zero address for a signature that is none.
    function recover(bytes32 hash, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        if (uint256(s) > HALF_CURVE || (v != 27 && v != 28)) return address(0);
        return ecrecover(hash, v, bytes32(signature[0:32]), s);
    }
}
