//! Trades with the Rust client and receives each kind of frame that it knows. Every reply and frame
//! goes through the types of the client, which refuse a missing field and some unknown ones.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use limitless_exchange_rust_sdk::{
    CancelReplaceCancelResult, CancelReplaceMode, CancelReplaceParams,
    CancelReplaceReplacementResult, CancelTarget, Client, CreateOrderParams, FokOrderArgs,
    GtcOrderArgs, HmacCredentials, LimitlessError, Logger, OrderArgs, OrderClient,
    OrderSigningConfig, OrderType, ReplacementOrderParams, Side, SubscriptionChannel,
    SubscriptionOptions, WebSocketClient, WebSocketConfig,
};
use serde_json::{json, Value};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const FRAMES_TIME: Duration = Duration::from_secs(60);
const TYPED: [&str; 7] = [
    "orderbookUpdate",
    "newPriceData",
    "oraclePriceData",
    "orderEvent",
    "tx",
    "marketCreated",
    "marketResolved",
];
const UNTYPED: [&str; 4] = ["positions", "live_sports_update", "live_esports_update", "system"];

fn var(name: &str) -> String {
    env::var(format!("INTEROP_{name}")).unwrap_or_else(|_| panic!("INTEROP_{name} is not set"))
}

fn ok(step: &str) {
    println!("ok {step}");
}

fn client(who: &str, log: &Arc<Errors>) -> Outcome<Client> {
    let hmac_credentials = HmacCredentials {
        token_id: var(&format!("{who}_TOKEN_ID")),
        secret: var(&format!("{who}_SECRET")),
    };
    let builder = Client::builder().base_url(var("URL")).hmac_credentials(hmac_credentials);
    Ok(Client::from_http_client(builder.logger(log.clone()).build()?)?)
}

/// What the client logs as errors: refusals, and frames that it cannot read, which it drops.
#[derive(Default)]
struct Errors(Mutex<Vec<String>>);

impl Errors {
    fn unread(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.starts_with("Failed to parse")).cloned().collect()
    }
}

impl Logger for Errors {
    fn debug(&self, _message: &str) {}
    fn info(&self, _message: &str) {}
    fn warn(&self, _message: &str) {}
    fn error(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_string());
    }
}

/// A socket that subscribes to every channel of the client and counts what arrives.
struct Listener {
    socket: WebSocketClient,
    counts: Arc<Mutex<BTreeMap<String, usize>>>,
    order_events: Arc<Mutex<BTreeSet<String>>>,
    exceptions: Arc<Mutex<Vec<Value>>>,
    errors: Arc<Errors>,
}

impl Listener {
    async fn open(client: &Client, errors: Arc<Errors>) -> Outcome<Self> {
        let config = WebSocketConfig {
            url: var("URL").replacen("http", "ws", 1),
            auto_reconnect: false,
            ..Default::default()
        };
        let listener = Self {
            socket: client.new_websocket_client(Some(config)),
            counts: Arc::default(),
            order_events: Arc::default(),
            exceptions: Arc::default(),
            errors,
        };
        listener.listen();
        listener.socket.connect().await?;
        listener.subscribe().await?;
        Ok(listener)
    }

    fn counter(&self, event: &str) -> impl Fn() + Send + Sync + 'static {
        let (counts, event) = (self.counts.clone(), event.to_string());
        move || *counts.lock().unwrap().entry(event.clone()).or_default() += 1
    }

    fn listen(&self) {
        let socket = &self.socket;
        let count = self.counter("orderbookUpdate");
        socket.on_orderbook_update(move |_| count());
        let count = self.counter("newPriceData");
        socket.on_new_price_data(move |_| count());
        let count = self.counter("oraclePriceData");
        socket.on_oracle_price_data(move |_| count());
        let count = self.counter("orderEvent");
        socket.on_order_event_typed(move |_| count());
        let count = self.counter("tx");
        socket.on_transaction(move |_| count());
        let count = self.counter("marketCreated");
        socket.on_market_created(move |_| count());
        let count = self.counter("marketResolved");
        socket.on_market_resolved(move |_| count());
        for event in UNTYPED {
            let count = self.counter(event);
            socket.on(event, move |_| count());
        }
        let kinds = self.order_events.clone();
        socket.on_order_event(move |event| {
            kinds.lock().unwrap().insert(event["type"].as_str().unwrap_or("").to_string());
        });
        let exceptions = self.exceptions.clone();
        socket.on("exception", move |exception| exceptions.lock().unwrap().push(exception));
    }

    async fn subscribe(&self) -> Outcome {
        let slugs = SubscriptionOptions {
            market_slugs: vec![var("MARKET"), var("SLOT")],
            ..Default::default()
        };
        let prices = SubscriptionOptions {
            market_addresses: vec![var("POOL_ADDRESS")],
            ..slugs.clone()
        };
        let all = SubscriptionOptions::default;
        for (channel, options) in [
            (SubscriptionChannel::SubscribeMarketPrices, prices),
            (SubscriptionChannel::SubscribePositions, slugs),
            (SubscriptionChannel::SubscribeTransactions, all()),
            (SubscriptionChannel::SubscribeOrderEvents, all()),
            (SubscriptionChannel::SubscribeLiveSports, all()),
            (SubscriptionChannel::SubscribeLiveEsports, all()),
            (SubscriptionChannel::SubscribeMarketLifecycle, all()),
        ] {
            self.socket.subscribe(channel, options).await?;
        }
        Ok(())
    }

    /// Waits for a frame of each kind.
    async fn check(&self) -> Outcome {
        let end = Instant::now() + FRAMES_TIME;
        for event in TYPED.iter().chain(&UNTYPED) {
            while !self.counts.lock().unwrap().contains_key(*event) {
                assert!(Instant::now() < end, "no frame {event}: {}", self.seen());
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            ok(&format!("frames {event}"));
        }
        let kinds = self.order_events.lock().unwrap().clone();
        for kind in ["PLACEMENT", "UPDATE", "CANCELLATION", "MATCHED", "MINED"] {
            assert!(kinds.contains(kind), "no order event {kind} in {kinds:?}");
        }
        assert!(self.exceptions.lock().unwrap().is_empty(), "{:?}", self.exceptions);
        // No `unsubscribe`: the client puts the id of its acknowledgement before the namespace, as no
        // server of Socket.IO reads it, and waits until its time is over.
        self.socket.disconnect().await?;
        assert_eq!(self.errors.unread(), Vec::<String>::new());
        Ok(())
    }

    fn seen(&self) -> String {
        let (counts, exceptions) = (self.counts.lock().unwrap(), self.exceptions.lock().unwrap());
        format!("{counts:?} {exceptions:?} {:?}", self.errors.unread())
    }
}

fn limit(token_id: &str, side: Side, price: f64, size: f64) -> OrderArgs {
    OrderArgs::from(GtcOrderArgs {
        token_id: token_id.to_string(),
        side,
        price,
        size,
        expiration: None,
        nonce: None,
        taker: None,
        post_only: false,
    })
}

fn order(args: OrderArgs) -> CreateOrderParams {
    let order_type = match args {
        OrderArgs::Fok(_) => OrderType::Fok,
        _ => OrderType::Gtc,
    };
    CreateOrderParams { order_type, market_slug: var("MARKET"), args }
}

/// The body of a refusal, which must have this status and code.
fn refusal<T>(result: Result<T, LimitlessError>, status: u16, code: &str) -> Value {
    match result {
        Err(LimitlessError::Api(error)) => {
            assert_eq!((error.status, error.data["code"].as_str()), (status, Some(code)));
            error.data
        }
        Err(error) => panic!("{code} was expected, not {error}"),
        Ok(_) => panic!("{code} was expected, but the call succeeded"),
    }
}

async fn refused(client: &Client, orders: &OrderClient) -> Outcome {
    let mut unsigned = orders
        .build_unsigned_order(limit(&var("TOKEN_YES"), Side::Buy, 0.2, 10.0))
        .await?;
    unsigned.fee_rate_bps = 100;
    let config = OrderSigningConfig {
        chain_id: var("CHAIN_ID").parse()?,
        contract_address: var("EXCHANGE"),
    };
    let signature = orders.sign_order_with_config(&unsigned, config)?;
    let mut signed = serde_json::to_value(&unsigned)?;
    signed["signature"] = json!(signature);
    let owner: i64 = var("USER_PROFILE").parse()?;
    let body = json!({
        "order": signed, "ownerId": owner, "orderType": "GTC", "marketSlug": var("MARKET"),
    });
    let reply = client.http.post::<_, Value>("/orders", &body).await;
    let found = refusal(reply, 400, "FEE_RATE_MISMATCH");
    assert_eq!(found["expectedFeeRateBps"].to_string(), var("FEE_BPS"));
    ok("refused");
    Ok(())
}

async fn trade(client: &Client, log: &Arc<Errors>) -> Outcome {
    let market = client.markets.get_market(&var("MARKET")).await?;
    let tokens = market.tokens.clone().ok_or("the market has no tokens")?;
    assert_eq!(tokens.yes, var("TOKEN_YES"));
    let orders = client.new_order_client(&var("USER_KEY"), None)?;
    let first = orders.create_order(order(limit(&tokens.yes, Side::Buy, 0.21, 10.0))).await?;
    assert_eq!((first.order.maker_amount, first.order.price), (2_100_000, Some(0.21)));
    ok("place");
    refused(client, &orders).await?;

    let replaced = orders
        .cancel_replace(CancelReplaceParams {
            cancel: CancelTarget::OrderId { order_id: first.order.id.clone() },
            replacement: ReplacementOrderParams {
                order_type: OrderType::Gtc,
                market_slug: market.slug.clone(),
                args: limit(&tokens.yes, Side::Buy, 0.22, 10.0),
                client_order_id: None,
                timestamp: None,
                recv_window: None,
                stp_policy: None,
            },
            mode: CancelReplaceMode::StopOnFailure,
            on_behalf_of: None,
        })
        .await?;
    assert!(matches!(replaced.cancel, CancelReplaceCancelResult::Success { .. }), "{replaced:?}");
    let CancelReplaceReplacementResult::Success { data } = replaced.replacement else {
        panic!("the order was not replaced: {replaced:?}");
    };
    let listed = market.get_user_orders().await?;
    assert!(listed.iter().any(|each| each.id == data.order.id), "{listed:?}");
    ok("list");

    assert_eq!(orders.cancel(&data.order.id).await?, "Order canceled successfully");
    assert!(orders.cancel(&data.order.id).await.is_err(), "an order is canceled once");
    orders.create_order(order(limit(&tokens.yes, Side::Buy, 0.2, 10.0))).await?;
    orders.cancel_all(&market.slug).await?;
    assert!(market.get_user_orders().await?.is_empty(), "all orders are canceled");
    ok("cancel");

    orders.create_order(order(limit(&tokens.yes, Side::Buy, 0.3, 10.0))).await?;
    let other = self::client("PARTNER", log)?;
    let takers = other.new_order_client(&var("PARTNER_KEY"), None)?;
    let taken = takers.create_order(order(limit(&tokens.no, Side::Buy, 0.7, 4.0))).await?;
    assert_eq!(taken.maker_matches.len(), 1);
    assert!(taken.execution.is_some_and(|execution| execution.matched));
    let spend = FokOrderArgs {
        token_id: tokens.no,
        side: Side::Buy,
        maker_amount: 1.4,
        expiration: None,
        nonce: None,
        taker: None,
    };
    let bought = takers.create_order(order(OrderArgs::from(spend))).await?;
    assert!(bought.execution.is_some_and(|execution| execution.matched));
    let book = client.markets.get_order_book(&market.slug).await?;
    assert_eq!(book.bids.first().map(|level| level.price), Some(0.3));
    Ok(())
}

async fn read(client: &Client) -> Outcome {
    let profile = client.portfolio.get_current_profile().await?;
    assert_eq!(profile.id.to_string(), var("USER_PROFILE"));
    client.portfolio.get_profile(&var("USER_ACCOUNT")).await?;
    let positions = client.portfolio.get_positions().await?;
    let held = positions.clob.iter().find(|each| each.market.slug == var("MARKET"));
    assert!(held.is_some_and(|each| each.tokens_balance.yes != "0"), "{positions:?}");
    assert!(!positions.amm.is_empty(), "the user traded with a pool");
    ok("positions");

    let (mut prices, mut cursor) = (Vec::new(), None);
    loop {
        let page = client.portfolio.get_user_history(cursor.as_deref(), Some(3)).await?;
        let bought = page.data.iter().filter(|each| each.strategy.as_deref() == Some("Limit Buy"));
        prices.extend(bought.filter_map(|each| each.outcome_token_price.clone()));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(prices, [0.3, 0.3, 0.4].map(|price| json!(price)));
    ok("history");
    Ok(())
}

async fn browse(client: &Client) -> Outcome {
    let active = client.markets.get_active_markets(None).await?;
    assert!(!active.data.is_empty());
    for name in ["GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT"] {
        assert_eq!(client.markets.get_market(&var(name)).await?.slug, var(name));
    }
    client.pages.get_navigation().await?;
    let page = client.pages.get_market_page_by_path(&var("PAGE_PATH")).await?;
    client.pages.get_markets(&page.id, None).await?;
    client.pages.get_property_keys().await?;
    client.packs.list().await?;
    ok("browse");
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    let errors = Arc::new(Errors::default());
    let client = client("USER", &errors)?;
    let listener = Listener::open(&client, errors.clone()).await?;
    browse(&client).await?;
    trade(&client, &errors).await?;
    read(&client).await?;
    listener.check().await
}
