"""The style sheet of the page. No colour alone carries a meaning, and nothing is loaded."""

from __future__ import annotations

CSS = """
:root{color-scheme:light;--ink:#1A1A1A;--quiet:#4A4A4A;--rule:#C9CDD2;--paper:#fff;--wash:#F6F7F8;
--pass:#0072B2;--fail:#D55E00;--abstain:#E69F00;--pass-wash:#EDF5FA;--fail-wash:#FDF0E8;--abstain-wash:#FEF7E6}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0 auto;max-width:96rem;padding:0 1.5rem 3rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Devanagari","Liberation Sans","DejaVu Sans",
sans-serif}
h1,h2,h3,h4,p,ul,dl,figure{margin:0}
ul{padding:0;list-style:none}
h2{font-size:1.15rem;line-height:1.3;margin-bottom:.75rem}
h3{font-size:1rem;margin-bottom:.6rem}
h4{font-size:1rem;line-height:1.4}
a{color:var(--ink);text-underline-offset:.15em}
a:focus-visible,[tabindex]:focus-visible,summary:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
code,.text,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.85em;overflow-wrap:anywhere}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;z-index:2;padding:.5rem 1rem;background:var(--paper);border:2px solid var(--ink)}
.phi{margin:0 -1.5rem;padding:.45rem 1.5rem;background:var(--ink);color:#fff;font-size:.9rem}
.pages{position:absolute}
header{display:grid;gap:1.25rem;padding:1.5rem 0}
.notice{border:3px solid var(--ink);padding:.9rem 1.1rem}
.notice h2{margin-bottom:.25rem}
.notice ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:.4rem;font-weight:600}
.pass{--line:var(--pass);--style:solid;--wash-here:var(--pass-wash)}
.fail{--line:var(--fail);--style:double;--wash-here:var(--fail-wash)}
.abstain{--line:var(--abstain);--style:dashed;--wash-here:var(--abstain-wash)}
.verdict{border:6px var(--style) var(--line);background:var(--wash-here);padding:1rem 1.25rem;border-radius:6px}
.verdict.pass,.verdict.abstain{border-width:4px}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:.02em;display:flex;flex-wrap:wrap;align-items:baseline;gap:.1rem .6rem;
margin-bottom:.35rem}
h1 .of{font-size:1.1rem;font-weight:400;letter-spacing:0}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;margin-top:.75rem}
dt{font-size:.8rem;color:var(--quiet)}
dd{margin:0}
.figures dd{font-weight:600}
.todo ul{columns:2;column-gap:2.5rem}
.todo li{break-inside:avoid;padding:.2rem 0 .2rem 6.6rem;position:relative;overflow-wrap:anywhere}
.todo .chip{position:absolute;left:0;top:.25rem}
.chip,.mini{display:inline-block;white-space:nowrap;font-weight:700}
.chip{border:2px var(--style) var(--line);background:var(--wash-here);border-radius:4px;padding:0 .5rem;font-size:.8rem;
line-height:1.45;letter-spacing:.03em}
.chip.fail{border-width:4px;padding:0 .4rem;line-height:1.3}
.mini{font-size:.85em}
.columns{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,6fr);gap:2rem;align-items:start}
.source{position:sticky;top:1rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.85rem;color:var(--quiet);margin-bottom:.6rem}
.text{border:1px solid var(--rule);border-radius:6px;background:var(--wash);padding:.75rem .75rem .75rem 0;font-size:.9rem;
line-height:1.85;
counter-reset:line;max-height:calc(100vh - 8.5rem);overflow:auto}
.line{counter-increment:line;position:relative;padding-left:3.4rem;min-height:1.85em;white-space:pre-wrap;overflow-wrap:anywhere}
.line::before{content:counter(line);position:absolute;left:0;width:2.5rem;text-align:right;color:#63676B;font-size:.8em}
mark{color:inherit;background:var(--wash-here);border-bottom:2px var(--style) var(--line);padding:.08em 0;
box-decoration-break:clone;-webkit-box-decoration-break:clone}
mark.fail{border-bottom-width:4px;font-weight:700}
mark.abstain{border-bottom-width:3px}
mark:has(:target),:target{outline:3px solid var(--ink);outline-offset:2px}
.at:target{outline:0}
.tag{font:700 .78em/1 system-ui,sans-serif;text-decoration:none;border:1px solid var(--ink);border-radius:3px;
background:var(--paper);padding:.05em .3em;margin:0 .15em 0 .3em;white-space:nowrap}
.code{font:.8em/1 ui-monospace,"Liberation Mono",monospace;border:1px solid var(--ink);background:var(--paper);padding:0 .15em;
white-space:nowrap}
.fields>section+section{margin-top:2rem}
.count{font-weight:400;color:var(--quiet)}
.card{border:1px solid var(--rule);border-left:5px var(--style) var(--line);border-radius:0 6px 6px 0;padding:.8rem 1rem .9rem;
margin-bottom:1rem;break-inside:avoid;overflow-wrap:anywhere}
.card.fail{border-left-width:8px}
.number{font-weight:700;font-size:.85rem;border:1px solid var(--ink);border-radius:3px;padding:0 .3em;margin:0 .3em 0 .2em}
.field{font-weight:700}
h4,.card h3{font-weight:500}
.path{color:var(--quiet);font-size:.85rem;margin:.1rem 0 .6rem}
.versus{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,12rem),1fr));gap:.5rem 1rem;background:var(--wash-here);
border-radius:4px;padding:.55rem .8rem;margin-bottom:.7rem}
.said{font-size:1.08rem;font-weight:600;white-space:pre-wrap}
.none{font-weight:600}
.place{font-size:.85rem;color:var(--quiet)}
.crop{margin-bottom:.7rem}
.crop svg{display:block;width:100%;height:auto;border:1px solid var(--rule);background:#fff}
.crop rect{fill:none;stroke:var(--ink);stroke-width:2.5}
.crop rect.abstain{stroke-dasharray:9 6}
figcaption{font-size:.85rem;color:var(--quiet);margin-top:.2rem}
.why{display:grid;gap:.4rem;font-size:.95rem}
.why ul,td ul{font-size:.85rem;color:var(--quiet)}
.ids{font-size:.85rem;color:var(--quiet)}
.parts{margin-top:.7rem}
.parts tr:last-child>*{border-bottom:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--quiet);font-size:.85rem;padding-bottom:.4rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--rule);font-weight:400;
overflow-wrap:anywhere}
thead th{font-size:.8rem;color:var(--quiet)}
th[scope=row]{min-width:6.5rem}
.owner{font-weight:600;padding-top:.9rem}
tbody th,td{overflow-wrap:break-word}
td code{overflow-wrap:anywhere}
td bdi{font-weight:600}
td .said{font-size:inherit}
td li bdi{font-weight:400}
.statements,.payload,footer{border-top:1px solid var(--rule);margin-top:2rem;padding-top:1.25rem}
.statements .grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 1.5rem}
.statements .card p{margin:.4rem 0 .6rem}
.empty{color:var(--quiet)}
summary{cursor:pointer}
pre{background:var(--wash);border:1px solid var(--rule);border-radius:6px;padding:.75rem;font-size:.85rem;white-space:pre-wrap;
overflow-wrap:anywhere}
.versions th{width:12rem;color:var(--quiet)}
@media (max-width:60rem){.columns{grid-template-columns:minmax(0,1fr)}.source{position:static}.text{max-height:none}
.todo ul{columns:1}}
@media (max-width:36rem){body{padding:0 1rem 2rem}.phi{margin:0 -1rem;padding:.45rem 1rem}h1{font-size:1.6rem}
.line{padding-left:2.1rem}.line::before{width:1.5rem}
.text{padding-right:.5rem}table[role=table],table[role=table] tbody,table[role=table] tr,table[role=table] th,
table[role=table] td{display:block}
table[role=table] thead{position:absolute;left:-999rem}table[role=table] tr{border-bottom:1px solid var(--rule);padding:.4rem 0}
table[role=table] th,table[role=table] td{border:0;padding:.1rem 0}
td[data-label]::before{content:attr(data-label) ": ";color:var(--quiet);font-size:.85em}.versions th{width:7rem}}
@media print{h2,h3{break-after:avoid}body{max-width:none;padding:0;font-size:10.5pt}.phi{margin:0;color:var(--ink);background:none;
border:2px solid var(--ink)}.skip{display:none}
.columns{display:block}.source{position:static}.text{max-height:none;overflow:visible}.fields{margin-top:1.5rem}.todo ul{columns:2}
a{text-decoration:none}}
"""
