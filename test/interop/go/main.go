// Trades by the client that oapi-codegen makes of the document.
//
// Orders come signed in INTEROP_ORDERS: the curve and the hash of their signatures are in no
// standard library. The requests are signed here.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"driver/exchange"
)

func env(name string) string {
	value, isSet := os.LookupEnv("INTEROP_" + name)
	check(isSet, "INTEROP_"+name+" is not set")
	return value
}

func ok(step string) {
	fmt.Println("ok " + step)
}

func check(holds bool, text string) {
	if !holds {
		fmt.Println("failed: " + text)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err == nil, fmt.Sprint(err))
	return value
}

// got is the reply of the expected status; nil means another status came.
func got[T any](reply *T, body []byte) T {
	check(reply != nil, string(body))
	return *reply
}

func sign(_ context.Context, request *http.Request) error {
	body := []byte{}
	if request.Body != nil {
		body = must(io.ReadAll(request.Body))
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	timestamp := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	head := []string{timestamp, request.Method, request.URL.RequestURI(), ""}
	mac := hmac.New(sha256.New, must(base64.StdEncoding.DecodeString(env("USER_SECRET"))))
	mac.Write([]byte(strings.Join(head, "\n")))
	mac.Write(body)
	request.Header.Set("svc-api-key", env("USER_TOKEN_ID"))
	request.Header.Set("svc-timestamp", timestamp)
	request.Header.Set("svc-signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

type signed struct {
	Salt, MakerAmount, TakerAmount, Signature string
	FeeRateBps                                int
}

// request is the body of POST /orders for the signed order of this name: a bid for YES.
func request(name string, market exchange.MarketReply) exchange.OrderRequest {
	var orders map[string]signed
	check(json.Unmarshal([]byte(env("ORDERS")), &orders) == nil, "orders are JSON")
	order, maker, signatureType := orders[name], env("USER_ACCOUNT"), 0
	ownerID := must(strconv.ParseInt(env("USER_PROFILE"), 10, 64))
	return exchange.OrderRequest{
		MarketSlug: market.Slug,
		OwnerId:    &ownerID,
		OrderType:  exchange.OrderRequestOrderType("GTC"),
		Order: exchange.SignedOrder{
			Salt:          order.Salt,
			Maker:         &maker,
			Signer:        &maker,
			Taker:         exchange.SignedOrderTaker("0x0000000000000000000000000000000000000000"),
			TokenId:       market.Tokens.Yes,
			MakerAmount:   order.MakerAmount,
			TakerAmount:   order.TakerAmount,
			Expiration:    "0",
			Nonce:         exchange.SignedOrderNonce("0"),
			FeeRateBps:    &order.FeeRateBps,
			Side:          0,
			SignatureType: &signatureType,
			Signature:     &order.Signature,
		},
	}
}

func trade(ctx context.Context, client *exchange.ClientWithResponses, market exchange.MarketReply) {
	wrong := must(client.PostOrdersWithResponse(ctx, nil, request("wrongFee", market)))
	refusal := must(got(wrong.JSON400, wrong.Body).AsFeeRateMismatchRefusal())
	check(refusal.Code == "FEE_RATE_MISMATCH", refusal.Message)
	check(strconv.Itoa(*refusal.ExpectedFeeRateBps) == env("FEE_BPS"), refusal.Message)
	ok("refused")

	placed := must(client.PostOrdersWithResponse(ctx, nil, request("first", market)))
	order := got(placed.JSON201, placed.Body)
	check(order.Order.Status == "LIVE" && !order.Execution.Matched, string(placed.Body))
	ok("place")

	own := must(client.GetMarketsSlugUserOrdersWithResponse(ctx, market.Slug, nil))
	isListed := false
	for _, each := range got(own.JSON200, own.Body) {
		isListed = isListed || each.Id == order.Order.Id
	}
	check(isListed, string(own.Body))
	ok("list")

	var target exchange.PostOrdersCancelJSONRequestBody
	name := exchange.CancelReplaceCancelByOrderId{OrderId: order.Order.Id}
	check(target.FromCancelReplaceCancelByOrderId(name) == nil, "the order has a name")
	canceled := must(client.PostOrdersCancelWithResponse(ctx, nil, target))
	check(got(canceled.JSON200, canceled.Body).FilledSize == "0", string(canceled.Body))
	again := must(client.PostOrdersCancelWithResponse(ctx, nil, target))
	check(again.JSON200 == nil && again.StatusCode() < 500, string(again.Body))
	ok("cancel")
}

func read(ctx context.Context, client *exchange.ClientWithResponses, market exchange.MarketReply) {
	held := must(client.GetPortfolioPositionsWithResponse(ctx, nil))
	positions := got(held.JSON200, held.Body)
	isHeld := false
	for _, position := range positions.Clob {
		isHeld = isHeld || position.Market.Slug == market.Slug && position.TokensBalance.Yes != "0"
	}
	check(isHeld && len(positions.Amm) > 0, string(held.Body))
	ok("positions")

	limit := 100
	page := &exchange.GetPortfolioHistoryParams{Limit: &limit}
	history := must(client.GetPortfolioHistoryWithResponse(ctx, page))
	isBought := false
	for _, entry := range got(history.JSON200, history.Body).Data {
		price := entry.OutcomeTokenPrice
		isBought = isBought || entry.Market.Slug == market.Slug && price != nil && *price == 0.4
	}
	check(isBought, string(history.Body))
	ok("history")
}

func browse(ctx context.Context, client *exchange.ClientWithResponses) {
	for _, name := range []string{"GROUP", "GROUP_CHILD", "POOL", "ENDED", "SLOT"} {
		found := must(client.GetMarketsAddressOrSlugWithResponse(ctx, env(name), nil))
		market := got(found.JSON200, found.Body)
		check(market.Slug == env(name) && market.Venue.Exchange != "", string(found.Body))
	}
	active := must(client.GetMarketsActiveWithResponse(ctx, nil))
	check(len(got(active.JSON200, active.Body).Data) > 0, string(active.Body))
	book := must(client.GetMarketsSlugOrderbookWithResponse(ctx, env("MARKET"), nil))
	check(got(book.JSON200, book.Body).TokenId == env("TOKEN_YES"), string(book.Body))
	ok("browse")
}

func main() {
	ctx := context.Background()
	editor := exchange.WithRequestEditorFn(sign)
	client := must(exchange.NewClientWithResponses(env("URL"), editor))
	found := must(client.GetMarketsAddressOrSlugWithResponse(ctx, env("MARKET"), nil))
	market := got(found.JSON200, found.Body)
	check(market.Venue.Exchange == env("EXCHANGE") && market.Metadata.Fee, string(found.Body))
	browse(ctx, client)
	trade(ctx, client, market)
	read(ctx, client, market)
}
