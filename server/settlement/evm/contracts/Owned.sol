// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The roles of a contract. The owner names operators, who settle, and resolvers, who say how
/// markets end; an operator alone cannot do both. Each of the three can stop the contract, and only
/// the owner lets it go on.
abstract contract Owned {
    address public owner;
    /// Becomes the owner once it accepts.
    address public nextOwner;
    mapping(address => bool) public isOperator;
    mapping(address => bool) public isResolver;
    bool public isPaused;

    event OwnerProposed(address indexed nextOwner);
    event OwnerChanged(address indexed owner);
    event OperatorChanged(address indexed operator, bool isAllowed);
    event ResolverChanged(address indexed resolver, bool isAllowed);
    event PauseChanged(bool isPaused);

    error NotOwner();
    error NotOperator();
    error NotResolver();
    error Paused();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    modifier onlyOperator() {
        if (!isOperator[msg.sender]) revert NotOperator();
        _;
    }

    modifier onlyResolver() {
        if (!isResolver[msg.sender]) revert NotResolver();
        _;
    }

    modifier whenNotPaused() {
        if (isPaused) revert Paused();
        _;
    }

    constructor() {
        owner = msg.sender;
        emit OwnerChanged(msg.sender);
    }

    function proposeOwner(address next) external onlyOwner {
        nextOwner = next;
        emit OwnerProposed(next);
    }

    function acceptOwnership() external {
        if (msg.sender != nextOwner) revert NotOwner();
        owner = msg.sender;
        nextOwner = address(0);
        emit OwnerChanged(msg.sender);
    }

    function setOperator(address operator, bool isAllowed) external onlyOwner {
        isOperator[operator] = isAllowed;
        emit OperatorChanged(operator, isAllowed);
    }

    function setResolver(address resolver, bool isAllowed) external onlyOwner {
        isResolver[resolver] = isAllowed;
        emit ResolverChanged(resolver, isAllowed);
    }

    function pause() external {
        bool isAllowed = msg.sender == owner || isOperator[msg.sender] || isResolver[msg.sender];
        if (!isAllowed) revert NotOwner();
        isPaused = true;
        emit PauseChanged(true);
    }

    function unpause() external onlyOwner {
        isPaused = false;
        emit PauseChanged(false);
    }
}
