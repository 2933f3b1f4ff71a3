"""Proves who sends each request: a user by its API token, or the operator."""

import base64
import datetime
import hashlib
import hmac
import os
from urllib.parse import urlsplit

import requests
import schemathesis


class UserProof(requests.auth.AuthBase):
    """Signs a request as it is sent."""

    def __call__(self, request):
        now = datetime.datetime.now(datetime.timezone.utc)
        timestamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        parts = urlsplit(request.url)
        target = parts.path + ("?" + parts.query if parts.query else "")
        body = request.body or b""
        text = f"{timestamp}\n{request.method}\n{target}\n".encode()
        text += body if isinstance(body, bytes) else body.encode()
        secret = base64.b64decode(os.environ["INTEROP_USER_SECRET"])
        digest = hmac.new(secret, text, hashlib.sha256).digest()
        request.headers["svc-api-key"] = os.environ["INTEROP_USER_TOKEN_ID"]
        request.headers["svc-timestamp"] = timestamp
        request.headers["svc-signature"] = base64.b64encode(digest).decode()
        return request


class OperatorProof(requests.auth.AuthBase):
    def __call__(self, request):
        request.headers["authorization"] = "Bearer " + os.environ["INTEROP_ADMIN_TOKEN"]
        return request


IS_OPERATOR = os.environ["INTEROP_ROLE"] == "operator"
schemathesis.auth.set_from_requests(OperatorProof() if IS_OPERATOR else UserProof())
