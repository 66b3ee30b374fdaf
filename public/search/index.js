<<<<<<< HEAD
verbatimSearch("index",{"pages":[[0,"p-c6145f99"],[2,"p-64544147"]],"terms":[["0","t-423eda76"],["capacity","t-5ac4b53c"],["expired","t-f76d5333"],["lose","t-d2641829"],["ratelimit","t-8983a159"],["taking","t-0f854ed1"]]})
=======
verbatimSearch("index",{"pages":[[0,"p-c6145f99"],[2,"p-64544147"]],"terms":[["0","t-af7d3c14"],["capable","t-bf0eacf0"],["exits","t-23d47e77"],["looked","t-e58ee7d5"],["rand","t-8a04ee49"],["takes","t-11b3b682"]]})
>>>>>>> 97c8474 (content: the authors' guide, README and the lab's clock in plain words)
