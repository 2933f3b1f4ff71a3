import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Flow;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.MarketsApi;
import org.openapitools.client.api.OrdersApi;
import org.openapitools.client.api.PortfolioApi;
import org.openapitools.client.model.CancelReplaceCancel;
import org.openapitools.client.model.CancelReplaceCancelByOrderId;
import org.openapitools.client.model.FeeRateMismatchRefusal;
import org.openapitools.client.model.MarketReply;
import org.openapitools.client.model.OrderRequest;
import org.openapitools.client.model.PlacedOrderReply;
import org.openapitools.client.model.PostOrders400Refusal;
import org.openapitools.client.model.SignedOrder;

/**
 * Trades by the client that openapi-generator makes of the document. Orders come signed in
 * INTEROP_ORDERS: the curve and the hash of their signatures are not in the standard library. The
 * requests are signed here.
 */
public final class Driver {
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  private Driver() {}

  static String env(String name) {
    String value = System.getenv("INTEROP_" + name);
    check(value != null, "INTEROP_" + name + " is not set");
    return value;
  }

  static void ok(String step) {
    System.out.println("ok " + step);
  }

  static void check(boolean holds, Object text) {
    if (!holds) throw new IllegalStateException(String.valueOf(text));
  }

  /** The bytes that a request sends; publishers of byte arrays give them at once. */
  static String bodyOf(HttpRequest request) {
    StringBuilder body = new StringBuilder();
    request.bodyPublisher().ifPresent(publisher -> publisher.subscribe(
        new Flow.Subscriber<ByteBuffer>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(ByteBuffer bytes) {
            body.append(StandardCharsets.UTF_8.decode(bytes));
          }

          @Override
          public void onError(Throwable error) {
            throw new IllegalStateException(error);
          }

          @Override
          public void onComplete() {}
        }));
    return body.toString();
  }

  /** Adds the headers that prove the caller. */
  static void sign(HttpRequest.Builder builder) {
    HttpRequest request = builder.copy().build();
    URI target = request.uri();
    String query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    String timestamp = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    String head = timestamp + "\n" + request.method() + "\n" + target.getRawPath() + query + "\n";
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(env("USER_SECRET")), "HmacSHA256"));
      byte[] digest = mac.doFinal((head + bodyOf(request)).getBytes(StandardCharsets.UTF_8));
      builder.header("svc-signature", Base64.getEncoder().encodeToString(digest));
    } catch (java.security.GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
    builder.header("svc-api-key", env("USER_TOKEN_ID")).header("svc-timestamp", timestamp);
  }

  /** The body of POST /orders for the signed order of this name: a bid for YES. */
  static OrderRequest request(String name, MarketReply market) throws Exception {
    JsonNode signed = JSON.readTree(env("ORDERS")).get(name);
    SignedOrder order = new SignedOrder()
        .salt(signed.get("salt").asText())
        .maker(env("USER_ACCOUNT"))
        .signer(env("USER_ACCOUNT"))
        .taker(SignedOrder.TakerEnum.fromValue("0x0000000000000000000000000000000000000000"))
        .tokenId(market.getTokens().getYes())
        .makerAmount(signed.get("makerAmount").asText())
        .takerAmount(signed.get("takerAmount").asText())
        .expiration("0")
        .nonce(SignedOrder.NonceEnum.fromValue("0"))
        .feeRateBps(signed.get("feeRateBps").asInt())
        .side(0)
        .signatureType(0)
        .signature(signed.get("signature").asText());
    return new OrderRequest()
        .order(order)
        .ownerId(Long.parseLong(env("USER_PROFILE")))
        .orderType(OrderRequest.OrderTypeEnum.GTC)
        .marketSlug(market.getSlug());
  }

  static void trade(ApiClient client, MarketReply market) throws Exception {
    OrdersApi orders = new OrdersApi(client);
    MarketsApi markets = new MarketsApi(client);
    try {
      orders.postOrders(request("wrongFee", market), null, null, null);
      throw new IllegalStateException("a wrong fee rate was taken");
    } catch (ApiException error) {
      PostOrders400Refusal refusal =
          JSON.readValue(error.getResponseBody(), PostOrders400Refusal.class);
      FeeRateMismatchRefusal mismatch = refusal.getFeeRateMismatchRefusal();
      check(env("FEE_BPS").equals(String.valueOf(mismatch.getExpectedFeeRateBps())), mismatch);
    }
    ok("refused");

    PlacedOrderReply placed = orders.postOrders(request("first", market), null, null, null);
    check("LIVE".equals(placed.getOrder().getStatus().getValue()), placed);
    check(!placed.getExecution().getMatched(), placed);
    ok("place");

    var listed = markets.getMarketsSlugUserOrders(market.getSlug(), null, null, null, null);
    String id = placed.getOrder().getId().toString();
    check(listed.stream().anyMatch(order -> order.getId().toString().equals(id)), listed);
    ok("list");

    CancelReplaceCancel name =
        new CancelReplaceCancel(new CancelReplaceCancelByOrderId().orderId(id));
    check("0".equals(orders.postOrdersCancel(name, null, null).getFilledSize()), "a fill");
    try {
      orders.postOrdersCancel(name, null, null);
      throw new IllegalStateException("an order is canceled once");
    } catch (ApiException error) {
      check(error.getCode() < 500, error);
    }
    ok("cancel");
  }

  static void read(ApiClient client, MarketReply market) throws Exception {
    PortfolioApi portfolio = new PortfolioApi(client);
    var positions = portfolio.getPortfolioPositions(null, null, null, null, null);
    check(positions.getClob().stream().anyMatch(each ->
        each.getMarket().getSlug().equals(market.getSlug())
            && !each.getTokensBalance().getYes().equals("0")), positions);
    check(!positions.getAmm().isEmpty(), positions);
    ok("positions");

    var history = portfolio.getPortfolioHistory(100, null, null, null, null);
    check(history.getData().stream().anyMatch(each ->
        each.getMarket().getSlug().equals(market.getSlug())
            && Double.valueOf(0.4).equals(each.getOutcomeTokenPrice())), history);
    ok("history");
  }

  static void browse(MarketsApi markets) throws Exception {
    for (String name : List.of("GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT")) {
      MarketReply market = markets.getMarketsAddressOrSlug(env(name), null, null);
      check(env(name).equals(market.getSlug()), market);
    }
    var active = markets.getMarketsActive(null, null, null, null, null, null, null);
    check(!active.getData().isEmpty(), active);
    var book = markets.getMarketsSlugOrderbook(env("MARKET"), null);
    check(env("TOKEN_YES").equals(book.getTokenId()), book);
    ok("browse");
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(env("URL"));
    client.setRequestInterceptor(Driver::sign);
    MarketsApi markets = new MarketsApi(client);
    MarketReply market = markets.getMarketsAddressOrSlug(env("MARKET"), null, null);
    check(env("EXCHANGE").equals(market.getVenue().getExchange()), market);
    browse(markets);
    trade(client, market);
    read(client, market);
  }
}
