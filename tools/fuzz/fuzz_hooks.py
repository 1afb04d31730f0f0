"""The one media type of the service that schemathesis does not know."""

import schemathesis


@schemathesis.serializer("application/jsonl")
def jsonl(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()
