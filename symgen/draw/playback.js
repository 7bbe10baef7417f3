// How a motion is played, the same in every viewer: speeds from 1/100 to 100, and a moment between two rows. A second
// on the screen is so many seconds of the motion, however short it is and however its rows are spread.
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];
function wordsOfSpeed(speed) {
  return speed === 1 ? "true speed" : speed < 1 ? `1/${Math.round(1 / speed)} speed` : `${speed} × speed`;
}
function firstSpeed(span) {  // a round takes between two and sixty seconds, as near to true speed as that can be
  if (span > 60) return SPEEDS.find((each) => span / each <= 60) || 100;
  return [...SPEEDS].reverse().find((each) => each <= 1 && span / each >= 2) || 0.01;
}
function offerSpeeds(select, span) {
  for (const speed of SPEEDS) select.append(new Option(wordsOfSpeed(speed), speed));
  select.value = firstSpeed(span);
}
function rowBefore(times, t) {  // row at or before t, and which part of the way to the next one
  const last = times.length - 1;
  let a = 0, b = last;
  while (b - a > 1) { const c = (a + b) >> 1; if (times[c] <= t) a = c; else b = c; }
  const way = times[b] - times[a];
  return [a, last && way > 0 ? Math.min(1, Math.max(0, (t - times[a]) / way)) : 0];
}
function playedOn(times, t, speed, milliseconds) {  // the time shown next; a hidden page does not leap
  const next = t + speed * Math.min(0.1, milliseconds / 1000);
  return next > times[times.length - 1] ? times[0] : next;
}
function digitsOfTime(span) {  // behind the point: a short motion has short times
  return Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(span || 1))));
}
