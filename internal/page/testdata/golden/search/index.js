verbatimSearch("index",{"size":8,"pages":["p-2d2961bc"],"terms":[["1","t-7475664d"]]})
