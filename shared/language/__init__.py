"""What Daybook knows about text: cleaning, terms, BM25, tokens, dates in a query. Pure: values in, values out."""
