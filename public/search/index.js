verbatimSearch("index",{"size":8,"pages":["p-317733cd"],"terms":[["0","t-7add1291"],["docs","t-02d497c2"],["mode","t-8d403d95"],["social","t-8ca8d6db"]]})
