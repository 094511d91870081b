"""Embeddings of sales that come without one: the same sale always gets the same id and address."""

from hashlib import blake2b


def embedding_id_of(tenant: str, product_id: str, sale_id: str) -> str:
    """Return the embedding id of a sale. No id contains `#`, so no two sales share one."""
    name = f"{tenant}#{product_id}#{sale_id}"
    return f"emb_{blake2b(name.encode(), digest_size=16).hexdigest()}"


def embedding_s3_key_of(bucket: str, tenant: str, product_id: str, sale_id: str) -> str:
    """Return the published S3 address. A slash within an id is escaped, or `a/sales/b` of `c` would
    be `a` of `b/sales/c`."""
    product, sale = (text.replace("%", "%25").replace("/", "%2F") for text in (product_id, sale_id))
    return f"s3://{bucket}/{tenant}/products/{product}/sales/{sale}.json"
