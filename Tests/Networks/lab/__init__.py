"""Networks of namespaces: a board, its routers, and the internet behind them."""
