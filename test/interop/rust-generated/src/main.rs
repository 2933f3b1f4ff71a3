//! Trades by the client that openapi-generator makes of the document.
//!
//! Orders come signed in INTEROP_ORDERS, as in the other generated clients. The requests are signed
//! here.

use std::env;
use std::error::Error;

use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use chrono::{SecondsFormat, Utc};
use exchange::apis::configuration::Configuration;
use exchange::apis::markets_api::{
    get_markets_active, get_markets_address_or_slug, get_markets_slug_orderbook,
    get_markets_slug_user_orders,
};
use exchange::apis::orders_api::{post_orders, post_orders_cancel, PostOrdersError};
use exchange::apis::portfolio_api::{get_portfolio_history, get_portfolio_positions};
use exchange::apis::Error as ClientError;
use exchange::models::order_request::OrderType;
use exchange::models::{
    CancelReplaceCancel, CancelReplaceCancelByOrderId, MarketReply, OrderRequest,
    PostOrders400Refusal, SignedOrder,
};
use hmac::{Hmac, Mac};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use serde_json::Value;
use sha2::Sha256;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn var(name: &str) -> String {
    env::var(format!("INTEROP_{name}")).unwrap_or_else(|_| panic!("INTEROP_{name} is not set"))
}

fn ok(step: &str) {
    println!("ok {step}");
}

/// Adds the headers that prove the caller.
struct Signer;

#[async_trait::async_trait]
impl Middleware for Signer {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let url = request.url();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let head = format!("{timestamp}\n{}\n{}{query}\n", request.method(), url.path());
        let secret = BASE64.decode(var("USER_SECRET")).expect("the secret is Base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).expect("any length is a key");
        mac.update(head.as_bytes());
        mac.update(request.body().and_then(|body| body.as_bytes()).unwrap_or_default());
        let signature = BASE64.encode(mac.finalize().into_bytes());
        for (name, value) in [
            ("svc-api-key", var("USER_TOKEN_ID")),
            ("svc-timestamp", timestamp),
            ("svc-signature", signature),
        ] {
            request.headers_mut().insert(name, value.parse().expect("it is ASCII"));
        }
        next.run(request, extensions).await
    }
}

/// The body of POST /orders for the signed order of this name: a bid for YES.
fn request(name: &str, market: &MarketReply) -> Outcome<OrderRequest> {
    let orders: Value = serde_json::from_str(&var("ORDERS"))?;
    let text = |field: &str| orders[name][field].as_str().unwrap_or_default().to_string();
    let tokens = market.tokens.as_ref().ok_or("the market has no tokens")?;
    let mut order = SignedOrder::new(
        text("salt"),
        Default::default(),
        tokens.yes.clone(),
        text("makerAmount"),
        text("takerAmount"),
        "0".to_string(),
        Default::default(),
        0,
    );
    order.maker = Some(var("USER_ACCOUNT"));
    order.signer = Some(var("USER_ACCOUNT"));
    order.fee_rate_bps = orders[name]["feeRateBps"].as_i64().map(|rate| rate as i32);
    order.signature_type = Some(0);
    order.signature = Some(text("signature"));
    let mut body = OrderRequest::new(order, OrderType::Gtc, market.slug.clone());
    body.owner_id = Some(var("USER_PROFILE").parse()?);
    Ok(body)
}

async fn trade(exchange: &Configuration, market: &MarketReply) -> Outcome {
    match post_orders(exchange, request("wrongFee", market)?, None, None, None).await {
        Err(ClientError::ResponseError(refused)) => match refused.entity {
            Some(PostOrdersError::Status400(PostOrders400Refusal::FeeRateMismatchRefusal(
                mismatch,
            ))) => {
                let rate = mismatch.expected_fee_rate_bps.map(|rate| rate.to_string());
                assert_eq!(rate, Some(var("FEE_BPS")));
            }
            _ => panic!("no typed refusal: {}", refused.content),
        },
        other => panic!("a wrong fee rate was taken: {other:?}"),
    }
    ok("refused");

    let placed = post_orders(exchange, request("first", market)?, None, None, None).await?;
    assert!(!placed.execution.matched, "{placed:?}");
    ok("place");

    let id = placed.order.id.clone();
    let listed =
        get_markets_slug_user_orders(exchange, &market.slug, None, None, None, None).await?;
    assert!(listed.iter().any(|order| order.id == id), "{listed:?}");
    ok("list");

    let by_id = CancelReplaceCancelByOrderId::new(id.clone());
    let name = CancelReplaceCancel::CancelReplaceCancelByOrderId(Box::new(by_id));
    let canceled = post_orders_cancel(exchange, name.clone(), None, None).await?;
    assert_eq!((canceled.order_id, canceled.filled_size.as_str()), (id, "0"));
    let again = post_orders_cancel(exchange, name, None, None).await;
    assert!(matches!(again, Err(ClientError::ResponseError(_))), "{again:?}");
    ok("cancel");
    Ok(())
}

async fn read(exchange: &Configuration, market: &MarketReply) -> Outcome {
    let positions = get_portfolio_positions(exchange, None, None, None, None, None).await?;
    let held = positions.clob.iter().find(|each| each.market.slug == market.slug);
    assert!(held.is_some_and(|each| each.tokens_balance.yes != "0"), "{positions:?}");
    assert!(!positions.amm.is_empty(), "the user traded with a pool");
    ok("positions");

    let history = get_portfolio_history(exchange, Some(100), None, None, None, None).await?;
    let is_bought = history.data.iter().any(|each| {
        each.market.slug == market.slug && each.outcome_token_price == Some(0.4)
    });
    assert!(is_bought, "{history:?}");
    ok("history");
    Ok(())
}

async fn browse(exchange: &Configuration) -> Outcome {
    for name in ["GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT"] {
        let market = get_markets_address_or_slug(exchange, &var(name), None, None).await?;
        assert_eq!(market.slug, var(name));
    }
    let active = get_markets_active(exchange, None, None, None, None, None, None, None).await?;
    assert!(!active.data.is_empty());
    let book = get_markets_slug_orderbook(exchange, &var("MARKET"), None).await?;
    assert_eq!(book.token_id, var("TOKEN_YES"));
    ok("browse");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let client = ClientBuilder::new(reqwest::Client::new()).with(Signer).build();
    let exchange = Configuration { base_path: var("URL"), client, ..Default::default() };
    let market = get_markets_address_or_slug(&exchange, &var("MARKET"), None, None).await?;
    assert_eq!(market.venue.exchange, var("EXCHANGE"));
    browse(&exchange).await?;
    trade(&exchange, &market).await?;
    read(&exchange, &market).await
}
