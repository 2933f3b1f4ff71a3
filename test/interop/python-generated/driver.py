"""Trades by the client that openapi-generator makes of the document, with its models of pydantic.

Orders come signed in INTEROP_ORDERS: the curve and the hash of their signatures are not in the
standard library. The requests are signed here.
"""

import base64
import hashlib
import hmac
import json
from datetime import datetime, timezone
from urllib.parse import urlsplit

from openapi_client import ApiClient, Configuration, MarketsApi, OrdersApi, PortfolioApi
from openapi_client.exceptions import ApiException, BadRequestException
from openapi_client.models import CancelReplaceCancel, FeeRateMismatchRefusal, MarketReply
from openapi_client.models import CancelReplaceCancelByOrderId, OrderRequest, SignedOrder
from steps import env, ok, same


class SigningClient(ApiClient):
    """Adds the headers that prove the caller."""

    def call_api(self, method, url, header_params=None, body=None, *rest, **named):
        target = urlsplit(url)
        path = target.path + ("?" + target.query if target.query else "")
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        timestamp = now.replace("+00:00", "Z")
        # The client sends the body by the same function.
        text = "" if body is None else json.dumps(body)
        signed = "\n".join([timestamp, method, path, text]).encode()
        secret = base64.b64decode(env("USER_SECRET"))
        digest = hmac.new(secret, signed, hashlib.sha256).digest()
        proof = {"svc-api-key": env("USER_TOKEN_ID"), "svc-timestamp": timestamp}
        proof["svc-signature"] = base64.b64encode(digest).decode()
        headers = {**(header_params or {}), **proof}
        return super().call_api(method, url, headers, body, *rest, **named)


def request(name: str, market: MarketReply) -> OrderRequest:
    """The body of POST /orders for the signed order of this name: a bid for YES."""
    signed = json.loads(env("ORDERS"))[name]
    order = SignedOrder(
        salt=signed["salt"],
        maker=env("USER_ACCOUNT"),
        signer=env("USER_ACCOUNT"),
        taker="0x0000000000000000000000000000000000000000",
        token_id=market.tokens.yes,
        maker_amount=signed["makerAmount"],
        taker_amount=signed["takerAmount"],
        expiration="0",
        nonce="0",
        fee_rate_bps=signed["feeRateBps"],
        side=0,
        signature_type=0,
        signature=signed["signature"],
    )
    owner = int(env("USER_PROFILE"))
    slug = market.slug
    return OrderRequest(order=order, owner_id=owner, order_type="GTC", market_slug=slug)


def trade(client: ApiClient, market: MarketReply) -> None:
    orders, markets = OrdersApi(client), MarketsApi(client)
    try:
        orders.post_orders(request("wrongFee", market))
        raise AssertionError("a wrong fee rate was taken")
    except BadRequestException as error:
        refusal = error.data.actual_instance
        assert isinstance(refusal, FeeRateMismatchRefusal), refusal
        same(refusal.expected_fee_rate_bps, int(env("FEE_BPS")))
    ok("refused")

    placed = orders.post_orders(request("first", market))
    same((placed.order.status, placed.execution.matched), ("LIVE", False))
    ok("place")

    listed = markets.get_markets_slug_user_orders(market.slug)
    assert placed.order.id in [order.id for order in listed], listed
    ok("list")

    name = CancelReplaceCancel(CancelReplaceCancelByOrderId(order_id=placed.order.id))
    canceled = orders.post_orders_cancel(name)
    same((canceled.order_id, canceled.filled_size), (placed.order.id, "0"))
    try:
        orders.post_orders_cancel(name)
        raise AssertionError("an order is canceled once")
    except ApiException as error:
        assert error.data is not None, error
    ok("cancel")


def read(client: ApiClient, market: MarketReply) -> None:
    portfolio = PortfolioApi(client)
    positions = portfolio.get_portfolio_positions()
    held = [each for each in positions.clob if each.market.slug == market.slug]
    assert held and held[0].tokens_balance.yes != "0" and positions.amm, positions
    ok("positions")

    entries = portfolio.get_portfolio_history(limit=100).data
    bought = [each for each in entries if each.market.slug == market.slug]
    assert 0.4 in [each.outcome_token_price for each in bought], entries
    ok("history")


def browse(client: ApiClient) -> None:
    markets = MarketsApi(client)
    for name in ("GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT"):
        same(markets.get_markets_address_or_slug(env(name)).slug, env(name))
    assert markets.get_markets_active().data
    same(markets.get_markets_slug_orderbook(env("MARKET")).token_id, env("TOKEN_YES"))
    ok("browse")


def main() -> None:
    client = SigningClient(Configuration(host=env("URL")))
    market = MarketsApi(client).get_markets_address_or_slug(env("MARKET"))
    same((market.venue.exchange, market.metadata.fee), (env("EXCHANGE"), True))
    browse(client)
    trade(client, market)
    read(client, market)


main()
