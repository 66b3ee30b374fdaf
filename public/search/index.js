verbatimSearch("index",{"size":8,"pages":["p-f878fa89"],"terms":[["0","t-8859c801"],["ticketing","t-ab57d917"]]})
