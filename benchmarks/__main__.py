"""`make bench`: every number is a ratio within this run, or a size."""

from benchmarks import bundle, calls, imports


def main() -> None:
    print("CPU per call of the store (below 1 is cheaper than boto3's client)\n")
    print(f"  {'':24}{'bare client':>14}{'same work':>14}")
    for name, bare, same_work in calls.run():
        print(f"  {name:24}{bare:14.2f}{same_work:14.2f}")
    print("\n  bare client: its items are wire dicts, before and after")
    print("  same work:   its items are turned into Python values with boto3's own serializers")
    print("\nCPU of imports (1 is `import boto3`)\n")
    for name, ratio, milliseconds in imports.run():
        print(f"  {name:40}{ratio:8.2f}{milliseconds:10.0f} ms here")
    print("\nLambda bundle\n")
    for name, files, size in bundle.run():
        print(f"  {name:40}{files:8} files{size / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()
