"""Trades with the adapter of ccxt for this API. It has no sockets."""

import asyncio

from ccxt.base.errors import BadRequest, InvalidOrder, OrderNotFound
from ccxt.prediction import limitless
from steps import env, ok, same

UNKNOWN = "3f2b8c1e-7d64-4a0f-9c55-1a2b3c4d5e6f"


def exchange(who: str) -> limitless:
    made = limitless(
        {
            "apiKey": env(who + "_TOKEN_ID"),
            "secret": env(who + "_SECRET"),
            "privateKey": env(who + "_KEY"),
            "walletAddress": env(who + "_ACCOUNT"),
            "enableRateLimit": False,
        }
    )
    made.urls["api"]["limitless"] = env("URL")
    return made


async def refused(call, kind, word: str) -> None:
    """A refusal must become the exception that the adapter has for it."""
    try:
        await call
    except kind as error:
        same(type(error), kind)
        assert word in str(error), error
        return
    raise AssertionError(f"{word} was expected, but the call succeeded")


async def browse(user: limitless):
    markets = await user.fetch_markets()
    slugs = [market["id"] for market in markets]
    for name in ("MARKET", "GROUP_CHILD"):
        assert env(name) in slugs, slugs
    [found] = [market for market in markets if market["id"] == env("MARKET")]
    yes, no = found["outcomes"]
    same([yes["outcomeId"], no["outcomeId"]], [env("TOKEN_YES"), env("TOKEN_NO")])
    same([yes["active"], yes["winner"]], [True, None])
    assert await user.fetch_markets({"query": "fuzz"}), "the search finds markets"
    await user.load_markets()
    await user.load_outcomes()
    event = await user.fetch_event(env("GROUP"))
    assert len(event["markets"]) > 1, event
    assert await user.fetch_events({"query": "fuzz"}), "the search finds events"
    assert await user.fetch_events({"slug": env("GROUP")}), "a group is an event"
    [tagged] = await user.fetch_events({"tags": [env("CATEGORY")]})
    assert tagged["markets"], tagged
    [ended] = (await user.fetch_event(env("ENDED")))["markets"]
    same([each["winner"] for each in ended["outcomes"]], [True, False])
    ticker = await user.fetch_ticker(yes["outcome"])
    assert ticker["bid"] is None or 0 < ticker["bid"] < 1, ticker
    await user.fetch_tickers([yes["outcome"], no["outcome"]])
    for timeframe in user.timeframes:
        candles = await user.fetch_ohlcv(yes["outcome"], timeframe)
        assert candles and all(0 < price < 1 for price in candles[-1][1:5]), candles
    [trade] = await user.fetch_trades(no["outcome"], limit=5)
    same((trade["price"], trade["amount"], trade["side"]), (0.6, 10, "buy"))
    ok("browse")
    return yes["outcome"], no["outcome"]


async def trade(user: limitless, yes: str, no: str) -> None:
    placed = await user.create_order(yes, "limit", "buy", 10, 0.21)
    same((placed["status"], placed["amount"], placed["price"]), ("open", 10, 0.21))
    same((placed["filled"], placed["side"], placed["outcome"]), (0, "buy", yes))
    post = await user.create_order(yes, "limit", "buy", 10, 0.2, {"postOnly": True})
    child = await user.load_outcome(env("GROUP_CHILD_TOKEN"))
    in_group = await user.create_order(child["outcome"], "limit", "buy", 5, 0.11)
    ok("place")

    accounts = user.accounts
    rank = accounts[0]["info"]["rank"]
    rank["feeRateBps"] = 100
    await refused(user.create_order(yes, "limit", "buy", 10, 0.2), BadRequest, "FEE_RATE_MISMATCH")
    rank["feeRateBps"] = int(env("FEE_BPS"))
    venue = user.market(user.outcome(yes)["market"])["info"]["venue"]
    venue["exchange"] = env("USER_ACCOUNT")
    await refused(user.create_order(yes, "limit", "buy", 10, 0.2), InvalidOrder, "signature")
    venue["exchange"] = env("EXCHANGE")
    await refused(user.cancel_order(UNKNOWN), OrderNotFound, "ORDER_NOT_FOUND")
    await refused(user.cancel_order("1"), BadRequest, "UUIDv4")
    ok("refused")

    opened = await user.fetch_open_orders(yes)
    assert {placed["id"], post["id"]} <= {each["id"] for each in opened}, opened
    same({(each["status"], each["side"]) for each in opened}, {("open", "buy")})
    found = await user.fetch_order(placed["id"], yes)
    same((found["id"], found["amount"], found["remaining"]), (placed["id"], 10, 10))
    both = await user.fetch_orders_by_ids([placed["id"], post["id"]])
    same([each["id"] for each in both], [placed["id"], post["id"]])
    ok("list")

    same((await user.cancel_order(placed["id"], yes))["status"], "canceled")
    await refused(user.cancel_order(placed["id"]), OrderNotFound, "already canceled")
    await user.cancel_orders([post["id"]])
    await user.cancel_all_orders(None, {"slug": env("GROUP_CHILD")})
    same(await user.fetch_open_orders(yes), [])
    assert in_group["id"] not in [each["id"] for each in await user.fetch_orders(child["outcome"])]
    ok("cancel")

    await user.create_order(yes, "limit", "buy", 10, 0.3)
    other = exchange("PARTNER")
    try:
        await other.load_outcomes()
        taken = await other.create_order(no, "limit", "buy", 4, 0.7)
        same((taken["status"], taken["filled"], taken["side"]), ("closed", 4, "buy"))
        bought = await other.create_order(no, "market", "buy", 2, 0.7)
        same(bought["status"], "closed")
        [done] = await other.fetch_orders_by_ids([bought["id"]])
        same((done["status"], done["filled"], done["cost"]), ("closed", 2, 1.4))
    finally:
        await other.close()
    book = await user.fetch_order_book(yes)
    same(book["bids"][0], [0.3, 4])
    flipped = await user.fetch_order_book(no)
    same(flipped["asks"][0], [0.7, 4])


async def read(user: limitless, yes: str) -> None:
    held = await user.fetch_positions([yes])
    own = [each for each in held if each["outcome"] == yes]
    assert len(own) == 1 and own[0]["contracts"] > 0, held
    assert own[0]["entryPrice"] and own[0]["markPrice"], own
    ok("positions")

    trades = await user.fetch_my_trades(yes)
    found = sorted((each["price"], each["amount"]) for each in trades)
    same(found, [(0.3, 2), (0.3, 4), (0.4, 10)])
    same({(each["side"], each["takerOrMaker"]) for each in trades}, {("buy", "maker")})
    assert len(await user.fetch_my_trades(yes, limit=2)) <= 2
    ok("history")


async def main() -> None:
    user = exchange("USER")
    try:
        yes, no = await browse(user)
        await trade(user, yes, no)
        await read(user, yes)
        redeemed = await user.redeem(None, {"conditionId": env("ENDED_CONDITION")})
        assert redeemed["info"], redeemed
        ok("redeem")
    finally:
        await user.close()


asyncio.run(main())
