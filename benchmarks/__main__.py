"""`make bench`: every number is a ratio within this run, or a size."""

from benchmarks import (
    bundle,
    calls,
    compression,
    encryption,
    imports,
    insertion,
    projection,
    starts,
)


def main() -> None:
    unit, sides = calls.run()
    print(f"{unit} of one call (1 is {calls.CLIENT})\n".capitalize())
    print(f"  {'':40}" + "".join(f"{name:>14}" for name in calls.OPERATIONS))
    for side, own in sides:
        print(f"  {side:40}" + "".join(f"{one:14.2f}" for one in own))
    print("\nCPU of a start, from the bundle (1 is boto3 and its client, from source)\n")
    print(f"  {'':40}{'with bytecode':>16}{'without':>10}")
    for name, with_bytecode, without in starts.run():
        print(f"  {name:40}{with_bytecode:16.2f}{without:10.2f}")
    print("\nCPU per call with secret fields encrypted (1 is the same call in clear)\n")
    ratios, values = encryption.run()
    for name, ratio in ratios:
        print(f"  {name:24}{ratio:14.2f}")
    for name, microseconds in values.items():
        print(f"  a value {name:16}{microseconds:14.0f} microseconds here")
    print("\nCPU of imports (1 is `import boto3`)\n")
    for name, ratio, milliseconds in imports.run():
        print(f"  {name:40}{ratio:8.2f}{milliseconds:10.0f} ms here")
    print("\nLambda bundle\n")
    for name, files, size in bundle.run():
        print(f"  {name:40}{files:8} files{size / 1e6:8.1f} MB")
    print("\nPayloads of forms: what compressors leave of them\n")
    _compression("left", "{:7.3f}")
    print("\n  CPU, zlib 6 being 1\n")
    _compression("cpu", "{:7.1f}")
    print("\nFrom the stream to the dashboard, items of five tags in batches of 100\n")
    print(f"  {'':32}{'published':>12}{'ours':>12}{'better':>10}")
    for result in projection.run():
        print(f"  {result.what:32}{result.paper:12.2f}{result.ours:12.2f}{result.ratio:9.1f}x")
    print("\n  published:  the published processor, mended to run, which puts row after row")
    print("  rows alone: ours without counting, which the published processor does not do")
    print("  better:     how many times as fast, or as cheap; below 1 it is worse")
    print("  Speed is that of a local engine that writes one row at a time, without a network.")
    _insertion()


def _insertion() -> None:
    print("\nEvents of one day over ten shards (1 is what the portal does: inserted in batches)\n")
    ways = insertion.run()
    print(f"  {'':24}{'speed':>8}{'CPU':>8}{'events a second here':>26}")
    for way in ways:
        rate, cpu = way.rate / ways[0].rate, way.cpu / ways[0].cpu
        print(f"  {way.name:24}{rate:8.2f}{cpu:8.2f}{way.rate:26,.0f}")
    print("\n  batch writes replace what is there; the others do not")


def _compression(what: str, form: str) -> None:
    results = compression.results()
    head = "".join(f"{result.size / 1000:6g}k" for result in results["usual"])
    for kind, rows in results.items():
        print(f"  {kind + ' payloads of':22}{head}")
        for name in compression.COMPRESSORS:
            cells = "".join(form.format(getattr(row, what)[name]) for row in rows)
            print(f"  {name:22}{cells}")


if __name__ == "__main__":
    main()
