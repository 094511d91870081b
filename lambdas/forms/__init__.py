"""Form-Bridge: forms of many tenants' web pages, taken in, kept, and delivered."""
