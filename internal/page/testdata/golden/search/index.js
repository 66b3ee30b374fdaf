verbatimSearch("index",{"pages":[[0,"p-2d2961bc"]],"terms":[["1","t-1a9adf40"]]})
