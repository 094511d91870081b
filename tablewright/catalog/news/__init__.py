"""Financial news: pending or analysed, and healed when they are pending too long."""
