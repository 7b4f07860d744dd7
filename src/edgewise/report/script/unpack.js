(async () => {
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=/?@^_`{|}~";
  const read = (id) => {
    const text = document.getElementById(id).textContent;
    const bytes = new DataView(new ArrayBuffer(Math.ceil(text.length / 5) * 4));
    for (let at = 0; at < text.length; at += 5) {
      let number = 0;
      for (const letter of text.slice(at, at + 5).padEnd(5, "~")) number = number * 85 + letters.indexOf(letter);
      bytes.setUint32((at / 5) * 4, number);
    }
    const whole = bytes.buffer.slice(0, Math.floor((text.length * 4) / 5));
    return new Response(new Blob([whole]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  };
  const [data, code] = await Promise.all([read("data"), read("code")]);
  document.getElementById("data").textContent = data;
  const script = document.createElement("script");
  script.textContent = code;
  document.body.append(script);
})().catch(() => { document.getElementById("too-old").hidden = false; });
