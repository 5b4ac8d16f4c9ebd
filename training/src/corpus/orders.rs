//! Orders, invoices, payments and shipments.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::{addresses, words};

/// The number of an article.
pub(super) fn sku(draw: &mut Draw) -> String {
    match draw.int(0, 2) {
        0 => format!("{}-{}", draw.capitals(2), draw.digits(4)),
        1 => format!("{}{}", draw.capitals(3), draw.digits(3)),
        _ => format!("SKU-{}", draw.digits(4)),
    }
}

fn order_number(draw: &mut Draw) -> String {
    match draw.int(0, 2) {
        0 => format!("ORD-{}", draw.digits(5)),
        1 => format!("{}-{}", draw.int(2019, 2026), draw.digits(4)),
        _ => format!("{}{}", draw.capitals(1), draw.digits(6)),
    }
}

/// Rounded to cents.
fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

pub(super) const LINE: Topic = Topic {
    names: &["an item of an order", "a line of an invoice", "a cart item"],
    fields: &[
        field(
            &["sku", "article", "item code", "article number", "product id", "code"],
            |d, _| json!(sku(d)),
            "article {}",
        ),
        field(
            &["count", "quantity", "qty", "amount", "number", "units"],
            |d, _| json!(d.magnitude(30)),
            "{} pieces",
        ),
        field(&["price", "unit price", "price each", "cost"], |_, f| json!(f.price), "at {}"),
        field(
            &["name", "product", "item", "description", "product name", "title"],
            |_, f| json!(f.product),
            "{}",
        ),
        field(
            &["total", "line total", "subtotal", "sum"],
            |d, f| json!(cents(f.price * d.int(1, 5) as f64)),
            "",
        ),
        field(&["discount", "tax", "vat"], |d, _| json!(d.pick(&[0, 5, 7, 10, 19, 20, 21])), ""),
        field(&["color", "colour"], |d, _| json!(d.pick(&words::COLORS)), "in {}"),
        field(&["size"], |d, _| json!(d.pick(&["XS", "S", "M", "L", "XL"])), "size {}"),
        field(&["in stock", "gift", "available"], |d, _| json!(d.chance(50)), ""),
    ],
};

fn lines(draw: &mut Draw, _: &Facts) -> Value {
    LINE.list(draw, 1, 3)
}

pub(super) const ORDER: Topic = Topic {
    names: &["an order", "a purchase", "a shopping cart", "a purchase order"],
    fields: &[
        field(
            &["id", "order id", "order", "order no"],
            |d, _| json!(d.magnitude(99_999)),
            "order {}",
        ),
        field(
            &["lines", "items", "order items", "line items", "positions", "products", "cart"],
            lines,
            "",
        ),
        field(&["paid", "is paid", "shipped", "express", "gift"], |d, _| json!(d.chance(55)), ""),
        field(
            &["note", "comment", "remarks", "notes", "instructions"],
            |d, _| json!(d.pick(&words::NOTES)),
            "",
        ),
        field(
            &["customer", "customer name", "buyer", "client", "ordered by"],
            |_, f| json!(f.person.full()),
            "for {}",
        ),
        field(
            &["total", "total price", "total amount", "grand total", "amount", "sum"],
            |d, f| json!(cents(f.price * d.int(1, 6) as f64)),
            "total {}",
        ),
        field(&["currency"], |_, f| json!(f.place.currency), "in {}"),
        field(
            &["order number", "reference", "number", "order ref"],
            |d, _| json!(order_number(d)),
            "number {}",
        ),
        field(
            &["date", "order date", "ordered at", "ordered on", "created at"],
            |d, f| if d.chance(60) { json!(f.date.day()) } else { json!(f.date.instant()) },
            "on {}",
        ),
        field(
            &["status", "state", "order status"],
            |d, _| {
                json!(d.pick(&[
                    "new",
                    "pending",
                    "paid",
                    "processing",
                    "shipped",
                    "delivered",
                    "cancelled",
                    "returned"
                ]))
            },
            "status {}",
        ),
        field(
            &["customer", "buyer", "client", "billing"],
            |d, f| json!({"name": f.person.full(), "email": f.person.email(d)}),
            "",
        ),
        field(
            &["shipping address", "delivery address", "ship to", "billing address"],
            addresses_object,
            "",
        ),
        field(
            &["payment method", "payment", "pay with"],
            |d, _| json!(d.pick(&["card", "cash", "paypal", "invoice", "bank transfer"])),
            "paid by {}",
        ),
        field(
            &["discount code", "coupon", "voucher", "promo code"],
            |d, _| {
                if d.chance(40) {
                    Value::Null
                } else {
                    json!(format!(
                        "{}{}",
                        d.pick(&["SAVE", "SPRING", "HELLO", "SALE"]),
                        d.pick(&[5, 10, 15, 20])
                    ))
                }
            },
            "code {}",
        ),
        field(
            &["shipping cost", "shipping", "delivery fee", "tax", "tip"],
            |d, _| json!(d.pick(&[0.0, 2.5, 3.9, 4.95, 4.99, 5.0, 9.9])),
            "shipping {}",
        ),
        field(&["item", "product", "article"], |_, f| json!(f.product), "{}"),
        field(&["quantity", "count", "number of items"], |d, _| json!(d.int(1, 12)), "{} pieces"),
        field(&["table", "table number", "guests"], |d, _| json!(d.int(1, 20)), "table {}"),
    ],
};

fn addresses_object(draw: &mut Draw, facts: &Facts) -> Value {
    addresses::ADDRESS.object(draw, facts)
}

pub(super) const PAYMENT: Topic = Topic {
    names: &["a payment", "a transaction", "a bank transfer", "an expense"],
    fields: &[
        field(
            &["method", "payment method", "type"],
            |d, _| json!(d.pick(&["card", "card", "cash", "bank transfer", "paypal"])),
            "by {}",
        ),
        field(&["card", "last four", "card number", "last4"], |d, _| json!(d.digits(4)), "card {}"),
        field(&["change"], |d, _| json!(d.decimal(0.0, 20.0, 2)), "change {}"),
        field(
            &["amount", "total", "value", "sum", "price", "balance"],
            |d, f| json!(cents(f.price * d.int(1, 9) as f64)),
            "{}",
        ),
        field(&["currency", "currency code"], |_, f| json!(f.place.currency), "{}"),
        field(
            &["transaction id", "payment id", "id", "reference"],
            |d, _| json!(format!("{}_{}", d.pick(&["pay", "tx", "ch", "tr"]), d.hex(10))),
            "reference {}",
        ),
        field(
            &["date", "paid at", "booking date", "payment date", "due date", "processed at"],
            |d, f| if d.chance(60) { json!(f.date.day()) } else { json!(f.date.instant()) },
            "on {}",
        ),
        field(
            &["from", "payer", "sender", "debtor", "from account"],
            |_, f| json!(f.person.full()),
            "from {}",
        ),
        field(
            &["to", "payee", "recipient", "beneficiary", "merchant", "creditor"],
            |d, f| if d.chance(50) { json!(f.other.full()) } else { json!(f.company) },
            "to {}",
        ),
        field(
            &["iban", "account", "account number", "bank account"],
            |d, f| json!(format!("{}{}", f.place.code, d.digits(18))),
            "",
        ),
        field(&["bic", "swift"], |d, f| json!(format!("{}{}XX", d.capitals(4), f.place.code)), ""),
        field(
            &["status", "state"],
            |d, _| json!(d.pick(&["pending", "completed", "failed", "refunded", "authorized"])),
            "{}",
        ),
        field(
            &["expiry", "expires", "expiration date", "valid until"],
            |d, _| json!(format!("{:02}/{}", d.int(1, 12), d.int(26, 32))),
            "valid until {}",
        ),
        field(
            &["fee", "tip", "tax", "vat", "refund"],
            |d, _| json!(d.decimal(0.0, 15.0, 2)),
            "fee {}",
        ),
        field(
            &["description", "purpose", "memo", "subject", "message"],
            |d, _| {
                json!(d.pick(&[
                    "Rent",
                    "Invoice 1042",
                    "Groceries",
                    "Birthday gift",
                    "Monthly fee",
                    "Electricity",
                    "Salary",
                    "Donation",
                    "Refund",
                    "Train ticket",
                    "Insurance",
                    "Book order"
                ]))
            },
            "for {}",
        ),
        field(
            &["category"],
            |d, _| {
                json!(d.pick(&[
                    "rent",
                    "food",
                    "travel",
                    "health",
                    "salary",
                    "insurance",
                    "leisure"
                ]))
            },
            "",
        ),
        field(&["approved", "recurring", "paid", "refundable"], |d, _| json!(d.chance(50)), ""),
        field(
            &["card holder", "cardholder", "account holder", "holder"],
            |_, f| json!(f.person.full()),
            "holder {}",
        ),
        field(&["cvv", "pin"], |d, _| json!(d.digits(3)), ""),
        field(&["brand", "card type"], |d, _| json!(d.pick(&["visa", "mastercard", "amex"])), ""),
        field(
            &["interest rate", "rate", "exchange rate"],
            |d, _| json!(d.decimal(0.5, 9.0, 2)),
            "",
        ),
    ],
};

pub(super) const INVOICE: Topic = Topic {
    names: &["an invoice", "a bill", "a receipt", "a quote"],
    fields: &[
        field(
            &["invoice number", "number", "invoice", "invoice id"],
            |d, _| json!(format!("INV-{}", d.digits(4))),
            "invoice {}",
        ),
        field(
            &["date", "invoice date", "issued", "issue date"],
            |_, f| json!(f.date.day()),
            "of {}",
        ),
        field(&["due date", "due", "pay by"], |_, f| json!(f.later.day()), "due on {}"),
        field(
            &["customer", "bill to", "billed to", "client"],
            |d, f| if d.chance(50) { json!(f.person.full()) } else { json!(f.company) },
            "for {}",
        ),
        field(&["items", "lines", "positions", "entries"], lines, ""),
        field(&["subtotal", "net", "net amount"], |_, f| json!(f.price), ""),
        field(&["tax", "vat", "tax amount"], |d, _| json!(d.decimal(1.0, 60.0, 2)), ""),
        field(
            &["tax rate", "vat rate"],
            |d, _| json!(d.pick(&[0.07, 0.1, 0.19, 0.2, 0.21, 0.25])),
            "",
        ),
        field(
            &["total", "amount", "amount due", "gross"],
            |d, f| json!(cents(f.price * d.int(1, 9) as f64)),
            "total {}",
        ),
        field(&["currency"], |_, f| json!(f.place.currency), "in {}"),
        field(&["paid"], |d, _| json!(d.chance(50)), ""),
        field(&["store", "shop", "seller", "vendor", "issuer"], |_, f| json!(f.company), "from {}"),
    ],
};

pub(super) const SHIPMENT: Topic = Topic {
    names: &["a shipment", "a delivery", "a parcel", "a package"],
    fields: &[
        field(
            &["address", "delivery address", "to address", "ship to"],
            |d, f| json!(addresses::line(d, f)),
            "to {}",
        ),
        field(
            &["express", "insured", "signature required", "fragile", "delivered"],
            |d, _| json!(d.chance(45)),
            "",
        ),
        field(
            &["phone", "contact phone", "recipient phone"],
            |d, _| json!(addresses::phone(d)),
            "phone {}",
        ),
        field(
            &["tracking number", "tracking id", "tracking", "tracking code", "awb"],
            |d, f| json!(format!("{}{}{}", d.capitals(2), d.digits(9), f.place.code)),
            "tracking number {}",
        ),
        field(
            &["carrier", "courier", "shipped by", "service"],
            |d, _| json!(d.pick(&["DHL", "UPS", "FedEx", "DPD", "GLS", "PostNord"])),
            "with {}",
        ),
        field(
            &["weight", "weight kg", "gross weight"],
            |d, _| json!(d.decimal(0.1, 30.0, 1)),
            "{} kg",
        ),
        field(
            &["status", "state"],
            |d, _| {
                json!(d.pick(&[
                    "created",
                    "in transit",
                    "out for delivery",
                    "delivered",
                    "delayed",
                    "returned"
                ]))
            },
            "{}",
        ),
        field(
            &["origin", "from", "sender city", "shipped from"],
            |_, f| json!(f.elsewhere.city),
            "from {}",
        ),
        field(&["destination", "to", "recipient city"], |_, f| json!(f.place.city), "to {}"),
        field(
            &["recipient", "receiver", "consignee", "to name"],
            |_, f| json!(f.person.full()),
            "for {}",
        ),
        field(
            &["sender", "shipper", "from name"],
            |d, f| if d.chance(50) { json!(f.other.full()) } else { json!(f.company) },
            "sent by {}",
        ),
        field(
            &["eta", "estimated delivery", "delivery date", "expected"],
            |_, f| json!(f.later.day()),
            "expected on {}",
        ),
        field(
            &["shipped at", "shipped on", "ship date", "dispatched"],
            |_, f| json!(f.date.day()),
            "shipped on {}",
        ),
        field(
            &["packages", "pieces", "parcels", "boxes"],
            |d, _| json!(d.int(1, 6)),
            "{} packages",
        ),
        field(
            &["dimensions", "size"],
            |d, _| json!({"length": d.int(10, 80), "width": d.int(10, 60), "height": d.int(5, 50)}),
            "",
        ),
        field(
            &["cost", "price", "shipping cost", "insurance"],
            |d, _| json!(d.pick(&[3.9, 4.95, 5.5, 6.99, 9.9, 12.5])),
            "costs {}",
        ),
        field(
            &["events", "history", "tracking events"],
            |d, f| json!([{"time": f.date.instant(), "location": f.elsewhere.city, "status": d.pick(&["accepted", "in transit", "sorted"])}]),
            "",
        ),
        field(&["instructions", "note", "delivery note"], |d, _| json!(d.pick(&words::NOTES)), ""),
    ],
};
