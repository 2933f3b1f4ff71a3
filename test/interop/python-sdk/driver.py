"""Trades with the Python client and reads each kind of frame that it knows.

Every reply goes through the models of the client, and every frame through its typed dictionaries.
"""

import asyncio
import time
import typing

import typing_extensions

# Before Python 3.12, pydantic reads the typed dictionaries of typing_extensions only.
typing.TypedDict = typing_extensions.TypedDict

from eth_account import Account
from limitless_sdk import Client, HMACCredentials, OrderSigner, OrderType, Side, WebSocketConfig
from limitless_sdk.api import APIError, ConflictError, ValidationError
from limitless_sdk.packs.service import pack_min_payout
from limitless_sdk.types import CancelReplaceMode, OrderSigningConfig
from limitless_sdk.types.packs import PackBuyParams, PackQuoteParams
from limitless_sdk.types.partner_amm import AmmAllowanceParams, AmmBuyParams
from limitless_sdk.types.portfolio import HistoryResponse
from limitless_sdk.types.user import UserProfile
from limitless_sdk.websocket import types as frame_types
from pydantic import TypeAdapter
from steps import env, ok, same

FRAMES = {
    "orderbookUpdate": frame_types.OrderbookUpdate,
    "newPriceData": frame_types.NewPriceData,
    "oraclePriceData": frame_types.OraclePriceData,
    "orderEvent": frame_types.OrderEvent,
    "positions": dict,
    "tx": frame_types.TransactionEvent,
    "marketCreated": frame_types.MarketCreatedEvent,
    "marketResolved": frame_types.MarketResolvedEvent,
    "live_sports_update": frame_types.LiveSportsUpdate,
    "live_esports_update": frame_types.LiveEsportsUpdate,
    "system": frame_types.SystemEvent,
}
FRAMES_S = 60


def credentials(who: str) -> HMACCredentials:
    return HMACCredentials(token_id=env(who + "_TOKEN_ID"), secret=env(who + "_SECRET"))


async def refusal(call, kind, status: int, code: str) -> dict:
    """The body of a refusal, which must have this class, status and code."""
    try:
        await call
    except APIError as error:
        same((type(error), error.status_code), (kind, status))
        same(error.response_data["code"], code)
        return error.response_data
    raise AssertionError(f"{code} was expected, but the call succeeded")


class Listener:
    """A socket that subscribes to every channel of the client and keeps what arrives."""

    def __init__(self, client: Client):
        config = WebSocketConfig(url=env("URL").replace("http", "ws", 1), auto_reconnect=False)
        self.socket = client.new_websocket_client(config)
        self.frames = {event: [] for event in [*FRAMES, "exception"]}
        for event in self.frames:
            self.socket.on(event, self.keeper(event))

    def keeper(self, event: str):
        async def keep(data=None):
            self.frames[event].append(data)

        return keep

    async def open(self) -> None:
        await self.socket.connect()
        names = {"marketSlugs": [env("MARKET"), env("SLOT")]}
        prices = {**names, "marketAddresses": [env("POOL_ADDRESS")]}
        await self.socket.subscribe("subscribe_market_prices", prices)
        await self.socket.subscribe("subscribe_positions", names)
        await self.socket.subscribe("subscribe_transactions")
        await self.socket.subscribe("subscribe_order_events")
        await self.socket.subscribe("subscribe_live_sports")
        await self.socket.subscribe("subscribe_live_esports")
        await self.socket.subscribe("subscribe_market_lifecycle")

    async def check(self) -> None:
        """Waits for a frame of each kind, and reads all frames by the types of the client."""
        end = time.monotonic() + FRAMES_S
        for event, kind in FRAMES.items():
            while not self.frames[event]:
                assert time.monotonic() < end, f"no frame {event}; {self.frames['exception']}"
                await asyncio.sleep(0.05)
            reader = TypeAdapter(kind)
            for data in self.frames[event]:
                reader.validate_python(data)
            ok("frames " + event)
        same(self.frames["exception"], [])
        kinds = {frame["type"] for frame in self.frames["orderEvent"]}
        for kind in ("PLACEMENT", "UPDATE", "CANCELLATION", "MATCHED", "MINED"):
            assert kind in kinds, f"no order event {kind} in {kinds}"
        await self.socket.unsubscribe("subscribe_order_events")
        await self.socket.disconnect()


async def trade(client: Client) -> None:
    market = await client.markets.get_market(env("MARKET"))
    same((market.tokens.yes, market.venue.exchange), (env("TOKEN_YES"), env("EXCHANGE")))
    orders = client.new_order_client(env("USER_KEY"))
    wish = {"side": Side.BUY, "order_type": OrderType.GTC, "market_slug": market.slug}
    yes = {"token_id": market.tokens.yes, **wish}
    first = await orders.create_order(**yes, price=0.21, size=10)
    same((first.order.status, first.execution.matched), ("LIVE", False))
    same(first.order.maker_amount, 2_100_000)
    ok("place")

    unsigned = await orders.build_unsigned_order(
        token_id=market.tokens.yes, side=Side.BUY, price=0.2, size=10
    )
    unsigned.fee_rate_bps = 100
    domain = OrderSigningConfig(chain_id=int(env("CHAIN_ID")), contract_address=env("EXCHANGE"))
    signature = await OrderSigner(Account.from_key(env("USER_KEY"))).sign_order(unsigned, domain)
    order = {**unsigned.model_dump(by_alias=True), "signature": signature}
    order["expiration"] = str(order["expiration"])
    body = {"order": order, "ownerId": int(env("USER_PROFILE")), "orderType": "GTC"}
    call = client.http.post("/orders", {**body, "marketSlug": market.slug})
    refused = await refusal(call, ValidationError, 400, "FEE_RATE_MISMATCH")
    same(refused["expectedFeeRateBps"], int(env("FEE_BPS")))
    ok("refused")

    replaced = await orders.cancel_replace(
        order_id=first.order.id, **yes, price=0.22, size=10, mode=CancelReplaceMode.STOP_ON_FAILURE
    )
    same((replaced.cancel.status, replaced.replacement.status), ("SUCCESS", "SUCCESS"))
    second = replaced.replacement.data.order.id
    listed = await market.get_user_orders()
    assert second in [each["id"] for each in listed], listed
    ok("list")

    same((await orders.cancel(second))["message"], "Order canceled successfully")
    try:
        await orders.cancel(second)
        raise AssertionError("a canceled order is canceled once")
    except APIError as error:
        assert error.response_data["code"] != "INTERNAL", error
    await orders.create_order(**yes, price=0.2, size=10, post_only=True)
    await orders.cancel_all(market.slug)
    same([each for each in await market.get_user_orders() if each["status"] == "LIVE"], [])
    ok("cancel")

    await orders.create_order(**yes, price=0.3, size=10)
    other = Client(base_url=env("URL"), hmac_credentials=credentials("PARTNER"))
    async with other:
        sells = {**wish, "token_id": market.tokens.no}
        taker = other.new_order_client(env("PARTNER_KEY"))
        taken = await taker.create_order(**sells, price=0.7, size=4)
        same(taken.execution.matched, True)
        assert taken.maker_matches and taken.maker_matches[0].matched_size, taken
        killed = {**sells, "order_type": OrderType.FOK}
        bought = await taker.create_order(**killed, maker_amount=1.4)
        same(bought.execution.matched, True)
    book = await client.markets.get_orderbook(market.slug)
    assert book.bids and book.bids[0].price == 0.3, book


async def read(client: Client) -> None:
    profile = UserProfile.model_validate(await client.portfolio.get_current_profile())
    same((profile.id, profile.account), (int(env("USER_PROFILE")), env("USER_ACCOUNT")))
    UserProfile.model_validate(await client.portfolio.get_profile(env("USER_ACCOUNT")))
    clob = await client.portfolio.get_clob_positions()
    held = [each for each in clob if each["market"]["slug"] == env("MARKET")]
    assert held and int(held[0]["tokensBalance"]["yes"]) > 0, clob
    assert held[0]["latestTrade"], held
    assert await client.portfolio.get_amm_positions(), "the user traded with a pool"
    ok("positions")

    found, cursor = [], None
    while True:
        page = await client.portfolio.get_user_history(cursor=cursor, limit=3)
        parsed = HistoryResponse.model_validate(page)
        found += parsed.data
        cursor = parsed.next_cursor
        if cursor is None:
            break
    bought = [each for each in found if each.strategy == "Limit Buy"]
    trades = [(each.market.slug, each.outcome_token_price) for each in bought]
    same(trades, [(env("MARKET"), 0.3), (env("MARKET"), 0.3), (env("MARKET"), 0.4)])
    ok("history")


async def browse(client: Client) -> None:
    page = await client.markets.get_active_markets()
    assert page.total_markets_count >= len(page.data) > 0
    for slug in ("GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT"):
        same((await client.markets.get_market(env(slug))).slug, env(slug))
    await client.market_pages.get_navigation()
    found = await client.market_pages.get_market_page_by_path(env("PAGE_PATH"))
    await client.market_pages.get_markets(found.id)
    for key in await client.market_pages.get_property_keys():
        await client.market_pages.get_property_key(key.id)
        await client.market_pages.get_property_options(key.id)
    ok("browse")


async def partner() -> None:
    """Trades for a sub-account with a server wallet: orders, packs of the list, and a pool."""
    child = int(env("CHILD_PROFILE"))
    async with Client(base_url=env("URL"), hmac_credentials=credentials("PARTNER")) as client:
        accounts = await client.partner_accounts.list_accounts()
        same((accounts.data[0].profile_id, accounts.data[0].account), (child, env("CHILD_ACCOUNT")))
        allowances = await client.partner_accounts.check_allowances(child)
        same((allowances.profile_id, allowances.ready), (child, True))
        made = await client.delegated_orders.create_order(
            token_id=env("TOKEN_YES"),
            side=Side.BUY,
            order_type=OrderType.GTC,
            market_slug=env("MARKET"),
            on_behalf_of=child,
            price=0.11,
            size=10,
        )
        same((made.order.maker, made.execution.matched), (env("CHILD_ACCOUNT"), False))
        canceled = await client.delegated_orders.cancel_on_behalf_of(made.order.id, child)
        same(canceled, "Order canceled successfully")
        tokens = await client.api_tokens.list_tokens()
        assert env("PARTNER_TOKEN_ID") in [each.token_id for each in tokens], tokens
        rights = await client.api_tokens.get_capabilities(env("IDENTITY"))
        same(rights.partner_profile_id, int(env("USER_PROFILE")))
        sent = await client.server_wallets.withdraw("1000000", on_behalf_of=child)
        same((sent.amount, sent.destination), ("1000000", env("PARTNER_ACCOUNT")))
        ok("partner")
        await buy_pack(client, child)
        await use_pool(client, child)


async def buy_pack(client: Client, child: int) -> None:
    packs = client.packs
    same(env("PACK") in [each.id for each in await packs.list()], True)
    found = await packs.get(env("PACK"))
    assert len(found.legs) > 1 and found.legs[0].market_slug, found
    quote = await packs.quote(PackQuoteParams(pack_id=found.id, stake_amount="2000000"))
    assert quote.eligible and quote.potential_payout, quote
    wish = PackBuyParams(
        pack_id=found.id,
        stake_amount="2000000",
        on_behalf_of=child,
        min_payout_amount=pack_min_payout(quote.potential_payout, 500),
        deadline=str(int(time.time()) + 60),
        idempotency_key="interop",
    )
    bought = await packs.buy(wish)
    again = await packs.buy(wish)
    same(again.position.id, bought.position.id)
    position = await packs.wait_for_position(child, bought.position.id, interval=1)
    same((position.status, position.stake_amount), ("ACTIVE", "2000000"))
    positions = await packs.list_positions(child)
    same((positions.total, positions.data[0].id), (1, bought.position.id))
    other = PackBuyParams(**{**wish.model_dump(), "min_payout_amount": "9" * 15})
    other.idempotency_key = "interop-2"
    await refusal(packs.buy(other), ConflictError, 409, "PRICE_DRIFTED")
    ok("packs")


async def use_pool(client: Client, child: int) -> None:
    amm = client.partner_amm
    for side in ("BUY", "SELL"):
        params = AmmAllowanceParams(market=env("POOL"), side=side, on_behalf_of=child)
        await amm.ensure_allowance(params)
    bought = await amm.buy(
        AmmBuyParams(
            market=env("POOL"),
            outcome_index=0,
            collateral_amount="1000000",
            idempotency_key="interop-pool",
            on_behalf_of=child,
        )
    )
    same((bought.status, bought.collateral_amount), ("SUBMITTED", "1000000"))
    assert int(bought.expected_shares) >= int(bought.min_shares) > 0, bought
    ok("pool")


async def main() -> None:
    client = Client(base_url=env("URL"), hmac_credentials=credentials("USER"))
    async with client:
        listener = Listener(client)
        await listener.open()
        await browse(client)
        await trade(client)
        await read(client)
        await partner()
        await listener.check()


asyncio.run(main())
