"""Chapters of what is measured besides calls and starts."""

from collections.abc import Iterator

from benchmarks.chapter import Chapter, ratio, table
from benchmarks.chapters import bundle, compression, encryption, imports, insertion, projection


def encrypted() -> Chapter:
    ratios, values = encryption.run()
    rows = [
        *((f"a {name}", ratio(value), "") for name, value in ratios),
        *((f"a value {name}", "", f"{value:.0f}") for name, value in values.items()),
    ]
    says = (
        "CPU of a call with two secret fields encrypted, over the same call in clear, on DynamoDB "
        "Local; and microseconds of one value on this machine."
    )
    figures = table("", "1 is in clear", "microseconds here", rows=rows)
    return Chapter(says, (figures,))


def imported() -> Chapter:
    rows = ((name, ratio(value), f"{ms:.0f}") for name, value, ms in imports.run())
    says = "CPU of single imports, with bytecode, over `import boto3`."
    figures = table("", "1 is `import boto3`", "milliseconds here", rows=rows)
    return Chapter(says, (figures,))


def bundled() -> Chapter:
    rows = ((name, f"{files:,}", f"{size / 1e6:.1f}") for name, files, size in bundle.run())
    says = "Files and megabytes of what Lambda gets, unpacked."
    return Chapter(says, (table("", "files", "MB", rows=rows),))


def compressed() -> Chapter:
    says = (
        "What compressors leave of payloads of forms, by their size, and their CPU over zlib 6. "
        "Usual payloads have field names that the dictionary knows."
    )
    results = compression.results()
    tables = []
    for what, form in (("left", "{:.3f}"), ("cpu", "{:.1f}")):
        for kind, own in results.items():
            sizes = (f"{one.size / 1000:g} kB" for one in own)
            rows = (
                (name, *(form.format(getattr(one, what)[name]) for one in own))
                for name in compression.COMPRESSORS
            )
            tables.append(table(f"{'CPU' if what == 'cpu' else what}, {kind}", *sizes, rows=rows))
    return Chapter(says, tuple(tables))


def projected() -> Chapter:
    says = (
        "From the stream to the dashboard: the published processor, mended to run, which puts row "
        "after row, and ours, for items of five tags in batches of 100. Rows alone is ours without "
        "counting, which the published one does not do. Speed is that of an engine that writes "
        "one row at a time, on this machine."
    )
    rows = (
        (one.what, f"{one.paper:.2f}", f"{one.ours:.2f}", f"{one.ratio:.1f}x")
        for one in projection.run()
    )
    return Chapter(says, (table("", "published", "ours", "better", rows=rows),))


def inserted() -> Chapter:
    ways = insertion.run()
    first = ways[0]
    rows: Iterator[tuple[str, ...]] = (
        (way.name, ratio(way.rate / first.rate), ratio(way.cpu / first.cpu), f"{way.rate:,.0f}")
        for way in ways
    )
    says = (
        "Events of one day over ten shards; 1 is what the portal does, which inserts them in "
        "batches. Batch writes replace what is there; the others do not."
    )
    return Chapter(says, (table("", "speed", "CPU", "events a second here", rows=rows),))
