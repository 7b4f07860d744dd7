(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("code").textContent), (c) => c.charCodeAt(0));
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const script = document.createElement("script");
  script.textContent = await new Response(text).text();
  document.body.append(script);
})().catch(() => { document.getElementById("too-old").hidden = false; });
