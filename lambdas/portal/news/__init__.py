"""From changes of content to everybody who wants to be told of them."""
