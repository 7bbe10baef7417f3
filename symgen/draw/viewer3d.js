// The picture of a spatial motion. THREE is what the vendored three.js exports; everything here lives in a block,
// so that no name meets one of its. World axes are those of the data; `up` points against gravity.
{
const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const stage = element("stage"), canvas = element("view");
const vector = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const turnOf = (q) => new THREE.Quaternion(q[1], q[2], q[3], q[0]);  // scalar first -> scalar last
const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const gaps = new Set(data.gaps);
const times = data.times, last = times.length - 1;
const radius = data.thickness, up = vector(data.up), low = vector(data.low), high = vector(data.high);
const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
const middle = low.clone().add(high).multiplyScalar(0.5), reach = 0.5 * low.distanceTo(high) || 1;

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const contents = `${count(data.bodies.length, "body", "bodies")}, ${count(data.joints.length, "joint", "joints")}`;
element("title").textContent = data.title;
canvas.setAttribute("aria-label", `moving picture of ${data.title || "the mechanism"}: ${contents}, ` +
  `${times[0]} s to ${times[last]} s; space plays, arrow keys step`);

// ---- theme -----------------------------------------------------------------------------------------------------
const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const looks = { light: { paper: 0xffffff, metal: 0x5a6875, stand: 0xb8c2cc, grid: 0xe4e7eb, cross: 0xcbd2d9 },
                dark: { paper: 0x14181d, metal: 0xc5ced8, stand: 0x52606d, grid: 0x2b333d, cross: 0x3e4c59 } };
let theme = prefersDark.matches ? "dark" : "light";

// ---- what is drawn ---------------------------------------------------------------------------------------------
const world = new THREE.Scene();
const metal = new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.25 });
const standing = new THREE.MeshStandardMaterial({ roughness: 0.9 });
const rod = (r, length) => new THREE.CylinderGeometry(r, r, length, 24).rotateX(Math.PI / 2);  // along z
function put(parent, geometry, material, at, q) {
  const mesh = new THREE.Mesh(geometry, material);
  if (at) mesh.position.copy(vector(at));
  if (q) mesh.quaternion.copy(turnOf(q));
  parent.add(mesh);
  return mesh;
}
function capsule(parent, a, b, r, material) {
  const from = vector(a), to = vector(b), length = from.distanceTo(to);
  const mesh = put(parent, new THREE.CapsuleGeometry(r, length, 8, 20), material);
  mesh.position.copy(from).add(to).multiplyScalar(0.5);
  if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), to.sub(from).divideScalar(length));
}

const boxes = [];
function makeBody(body) {
  const group = new THREE.Group(), paint = new THREE.MeshStandardMaterial({ color: body.colour, roughness: 0.55, metalness: 0.05 });
  for (const [a, b] of body.links) capsule(group, a, b, radius, paint);
  for (const [a, b] of body.spokes) capsule(group, a, b, 0.6 * radius, paint);
  if (!body.links.length) for (const mark of body.marks) put(group, new THREE.SphereGeometry(1.3 * radius, 24, 16), paint, mark);
  if (body.plate.length > 2) {
    const corners = body.plate.flat(), fan = [];
    for (let k = 1; k + 1 < body.plate.length; k++) fan.push(0, k, k + 1);
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
    geometry.setIndex(fan); geometry.computeVertexNormals();
    const glass = new THREE.MeshStandardMaterial({ color: body.colour, transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false });
    put(group, geometry, glass);
  }
  if (body.box) {
    const sides = body.box.sides.map((side) => Math.max(side, 0.4 * radius));
    const glass = new THREE.MeshStandardMaterial({ color: body.colour, transparent: true, opacity: body.links.length ? 0.25 : 0.8, depthWrite: !body.links.length });
    const mesh = put(group, new THREE.BoxGeometry(...sides), glass, body.box.at, body.box.q);
    mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry), new THREE.LineBasicMaterial({ color: body.colour })));
    mesh.visible = !body.links.length;
    boxes.push([mesh, !body.links.length]);
    put(mesh, new THREE.SphereGeometry(0.7 * radius, 16, 12), metal);
  }
  world.add(group);
  return { group, poses: floats(body.poses) };
}
const ground = new THREE.Group();
world.add(ground);
const bodies = data.bodies.map(makeBody);
const groupOf = (number) => (number < 0 ? ground : bodies[number].group);

const drawers = {
  R: (j, a) => put(a, rod(1.7 * radius, 5 * radius), metal, j.at, j.q),
  C: (j, a, b) => { rail(j, a); put(b, rod(1.7 * radius, 7 * radius), metal, j.atSecond, j.qSecond); },
  P: (j, a, b) => { rail(j, a); put(b, new THREE.BoxGeometry(3.2 * radius, 3.2 * radius, 5.5 * radius), metal, j.atSecond, j.qSecond); },
  H: (j, a, b) => {
    put(a, rod(1.1 * radius, 9 * radius), metal, j.at, j.q);
    for (const k of [-1, 0, 1]) {
      const ring = put(b, new THREE.TorusGeometry(1.5 * radius, 0.35 * radius, 10, 28), metal, j.atSecond, j.qSecond);
      ring.translateZ(1.2 * k * radius);
    }
  },
  S: (j, a) => put(a, new THREE.SphereGeometry(2 * radius, 28, 18), metal, j.at),
  U: (j, a, b) => {
    put(a, rod(0.7 * radius, 6 * radius), metal, j.at, j.q);
    put(b, new THREE.CylinderGeometry(0.7 * radius, 0.7 * radius, 6 * radius, 20).rotateZ(Math.PI / 2), metal, j.atSecond, j.qSecond);
  },
  L: (j, a, b) => { rail(j, a, true); other(j, a, b); },
  PL: (j, a, b) => {
    put(a, new THREE.BoxGeometry(9 * radius, 9 * radius, 0.4 * radius), metal, j.at, j.q);
    put(b, new THREE.SphereGeometry(1.5 * radius, 24, 16), metal, j.atSecond);
  },
};
drawers.ER = drawers.U;
const other = (j, a, b) => put(b, new THREE.SphereGeometry(1.6 * radius, 24, 16), metal, j.atSecond);
function rail(joint, parent, alongX) {
  const pad = 4 * radius, from = joint.reach[0] - pad, to = joint.reach[1] + pad;
  const mesh = put(parent, rod(0.45 * radius, to - from), metal, joint.at, joint.q);
  if (alongX) mesh.rotateY(Math.PI / 2);
  mesh.translateZ(0.5 * (from + to));
}
function pedestal(at) {
  const height = 3.5 * radius, mesh = put(world, new THREE.CylinderGeometry(1.8 * radius, 3.4 * radius, height, 28), standing, at);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
  mesh.position.addScaledVector(up, -0.5 * height - 0.6 * radius);
}
for (const joint of data.joints) {
  const [first, second] = joint.bodies;
  (drawers[joint.type] || other)(joint, groupOf(first), groupOf(second));
  if (first < 0) pedestal(joint.at); else if (second < 0) pedestal(joint.atSecond);
}
for (const joint of data.joints) if (joint.bodies[0] < 0 && joint.bodies[1] < 0) pedestal(joint.atSecond);

const paths = data.traces.map((trace) => {
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(floats(trace.path), 3));
  const whole = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: trace.colour, transparent: true, opacity: 0.35 }));
  const done = new THREE.Line(geometry.clone(), new THREE.LineBasicMaterial({ color: trace.colour }));
  world.add(whole, done);
  return { whole, done, count: geometry.getAttribute("position").count };
});

// A floor at right angles to `up`, below everything, with cells of a round length.
const cell = (() => { const raw = reach / 4, ten = 10 ** Math.floor(Math.log10(raw)); return ten * [1, 2, 5, 10].find((k) => k * ten >= raw); })();
let floor = null;
function makeFloor() {
  if (floor) { world.remove(floor); floor.geometry.dispose(); floor.material.dispose(); }
  const cells = 2 * Math.ceil(1.6 * reach / cell), look = looks[theme];
  floor = new THREE.GridHelper(cells * cell, cells, look.cross, look.grid);
  floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
  const lowest = Math.min(...corners.map((corner) => corner.dot(up)));
  floor.position.copy(middle).addScaledVector(up, lowest - middle.dot(up) - 4.2 * radius);
  world.add(floor);
}
const skip = data.unsolved ? `; ${data.unsolved} times without a position are left out` : "";
element("note").textContent = `${contents}; cells of ${Number(cell.toPrecision(3))} m${skip}`;

// ---- names -----------------------------------------------------------------------------------------------------
const labels = [];
function addLabel(text, kind, parent, at) {
  const span = document.createElement("span");
  span.textContent = text; span.className = kind;
  element("labels").append(span);
  labels.push({ span, parent, at: vector(at), lift: { body: 8, joint: 20, point: -6 }[kind] });
}
data.bodies.forEach((body, k) => addLabel(body.id, "body", bodies[k].group, body.centre));
for (const joint of data.joints) if (joint.label) addLabel(`${joint.label} ${joint.type}`, "joint", groupOf(joint.bodies[1]), joint.atSecond);
for (const point of data.points) addLabel(point.name, "point", groupOf(point.body), point.at);

// ---- the eye ---------------------------------------------------------------------------------------------------
const east = new THREE.Vector3(), north = new THREE.Vector3();
// x to the right, as in the drawing of a planar mechanism, whether z or y is up.
east.setComponent(Math.abs(up.x) < 0.8 ? 0 : 1, 1).addScaledVector(up, -east.dot(up)).normalize();
north.crossVectors(up, east);
const camera = new THREE.PerspectiveCamera(32, 1, 0.001 * reach, 400 * reach);
camera.up.copy(up);
const sun = new THREE.DirectionalLight(0xffffff, 2.1);
world.add(new THREE.HemisphereLight(0xffffff, 0x8a94a0, 1.7), sun);
const view = { azimuth: 0, elevation: 0, distance: 1, target: new THREE.Vector3() };
function fitDistance() {  // from which all corners of the extent are seen, looking as now
  const level = Math.cos(view.elevation), eye = new THREE.Vector3().addScaledVector(east, level * Math.cos(view.azimuth))
    .addScaledVector(north, level * Math.sin(view.azimuth)).addScaledVector(up, Math.sin(view.elevation));
  const right = new THREE.Vector3().crossVectors(up, eye).normalize(), above = new THREE.Vector3().crossVectors(eye, right);
  const tall = Math.tan(camera.fov * Math.PI / 360), wide = tall * camera.aspect;
  return Math.max(0.5 * reach, ...corners.map((corner) => {
    const at = corner.clone().sub(middle);
    return at.dot(eye) + Math.max((Math.abs(at.dot(right)) + 3 * radius) / wide, (Math.abs(at.dot(above)) + 3 * radius) / tall);
  })) * 1.12;
}
function seenFrom(azimuth, elevation) {
  view.azimuth = azimuth * Math.PI / 180; view.elevation = elevation * Math.PI / 180;
  view.distance = fitDistance(); view.target.copy(middle);
}
function home() { seenFrom(-55, 22); }
function aim() {
  const level = Math.cos(view.elevation);
  camera.position.copy(view.target)
    .addScaledVector(east, view.distance * level * Math.cos(view.azimuth))
    .addScaledVector(north, view.distance * level * Math.sin(view.azimuth))
    .addScaledVector(up, view.distance * Math.sin(view.elevation));
  camera.lookAt(view.target);
  camera.near = view.distance / 500; camera.far = view.distance + 200 * reach; camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
  sun.position.copy(camera.position).sub(view.target).addScaledVector(up, view.distance).addScaledVector(right, 0.6 * view.distance);
}
function turn(dx, dy) {
  view.azimuth -= dx;
  view.elevation = Math.max(-1.55, Math.min(1.55, view.elevation + dy));
}
function shift(dx, dy) {  // pixels
  const scale = 2 * view.distance * Math.tan(camera.fov * Math.PI / 360) / canvas.clientHeight;
  view.target.addScaledVector(new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0), -dx * scale)
    .addScaledVector(new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 1), dy * scale);
}
function zoom(factor) { view.distance = Math.max(0.02 * reach, Math.min(60 * reach, view.distance * factor)); }

// ---- a moment --------------------------------------------------------------------------------------------------
let now = times[0], renderer = null;
function moment(t) {  // frame before t, and how far on to the next
  const [a, part] = rowBefore(times, t), b = Math.min(a + 1, last);
  if (gaps.has(a) && t < times[b]) return [a, a, 0];  // no gliding over times without a position
  return [a, b, part];
}
const q0 = new THREE.Quaternion(), q1 = new THREE.Quaternion();
function place(body, [a, b, s]) {
  const p = body.poses, i = 7 * a, j = 7 * b;
  body.group.position.set(p[i] + s * (p[j] - p[i]), p[i + 1] + s * (p[j + 1] - p[i + 1]), p[i + 2] + s * (p[j + 2] - p[i + 2]));
  q0.set(p[i + 4], p[i + 5], p[i + 6], p[i + 3]); q1.set(p[j + 4], p[j + 5], p[j + 6], p[j + 3]);
  body.group.quaternion.slerpQuaternions(q0, q1, s);
}
const digits = digitsOfTime(times[last] - times[0]);
const cells = {};
if (data.energy) {
  for (const [name, values] of Object.entries(data.energy)) {
    const row = element("energy").tBodies[0].insertRow(), head = document.createElement("th");
    head.scope = "row"; head.textContent = name; row.append(head);
    cells[name] = { cell: row.insertCell(), values };
  }
  element("energy").hidden = false;
}
function show() {
  if (!renderer) return;
  const at = moment(now);
  for (const body of bodies) place(body, at);
  for (const path of paths) path.done.geometry.setDrawRange(0, Math.max(1, Math.round((at[0] + at[2]) / (last || 1) * (path.count - 1)) + 1));
  for (const { cell: box, values } of Object.values(cells)) box.textContent = `${(values[at[0]] + at[2] * (values[at[1]] - values[at[0]])).toPrecision(6)} J`;
  const [before, after] = moment(now), missing = before === after && before < last && now > times[before];
  element("time").textContent = `t = ${now.toFixed(digits)} s${missing ? ", no position" : ""}`;
  element("scrub").value = now;
  element("scrub").setAttribute("aria-valuetext", `${now.toFixed(digits)} seconds`);
  aim();
  renderer.render(world, camera);
  if (element("names").checked) placeLabels();
}
function placeLabels() {
  const width = canvas.clientWidth, height = canvas.clientHeight, point = new THREE.Vector3();
  for (const { span: text, parent, at, lift } of labels) {
    point.copy(at).applyMatrix4(parent.matrixWorld).project(camera);
    text.style.visibility = Math.abs(point.z) < 1 ? "visible" : "hidden";
    text.style.transform = `translate(${(0.5 + 0.5 * point.x) * width + 9}px, ${(0.5 - 0.5 * point.y) * height - lift}px)`;
  }
}
function setTheme(name) {
  theme = name; root.dataset.theme = name;
  element("theme").textContent = name === "dark" ? "light" : "dark";
  world.background = new THREE.Color(looks[name].paper);
  metal.color.set(looks[name].metal); standing.color.set(looks[name].stand);
  makeFloor();
}

// ---- controls --------------------------------------------------------------------------------------------------
let playing = false;
function play(on) {
  playing = on && last > 0;
  if (playing && now >= times[last]) now = times[0];
  element("play").textContent = playing ? "pause" : "play";
}
function step(by) {
  play(false);
  const [a, , s] = moment(now), k = by > 0 ? a + 1 : s > 1e-9 ? a : a - 1;
  now = times[Math.max(0, Math.min(last, s > 1 - 1e-9 && by > 0 ? a + 2 : k))];
}
offerSpeeds(element("speed"), times[last] - times[0]);
Object.assign(element("scrub"), { min: times[0], max: times[last] });
element("boxes").checked = data.inertia;
element("play").disabled = last === 0;
element("play").onclick = () => { play(!playing); show(); };
element("scrub").oninput = () => { play(false); now = Number(element("scrub").value); show(); };
function setNames() { element("labels").style.display = element("names").checked ? "" : "none"; }
function setPaths() { for (const { whole, done } of paths) whole.visible = done.visible = element("paths").checked; }
function setBoxes() { for (const [mesh, always] of boxes) mesh.visible = always || element("boxes").checked; }
const toggles = { n: ["names", setNames], p: ["paths", setPaths], i: ["boxes", setBoxes] };
for (const [id, set] of Object.values(toggles)) element(id).onchange = () => { set(); show(); };
element("home").onclick = () => { home(); show(); };
element("theme").onclick = () => { setTheme(theme === "dark" ? "light" : "dark"); show(); };
prefersDark.onchange = () => { setTheme(prefersDark.matches ? "dark" : "light"); show(); };

const keys = {
  " ": () => play(!playing), Home: () => { play(false); now = times[0]; }, End: () => { play(false); now = times[last]; },
  ArrowLeft: () => step(-1), ArrowRight: () => step(1), "+": () => zoom(0.85), "=": () => zoom(0.85), "-": () => zoom(1 / 0.85),
  1: () => seenFrom(-90, 0), 2: () => seenFrom(0, 0), 3: () => seenFrom(-90, 88), r: home, d: () => setTheme(theme === "dark" ? "light" : "dark"),
};
const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
document.addEventListener("keydown", (event) => {
  const own = event.target.closest("input, select, button, summary");
  if (event.ctrlKey || event.metaKey || event.altKey || own) return;
  if (event.shiftKey && turns[event.key]) turn(...turns[event.key]);
  else if (toggles[event.key]) { const [id, set] = toggles[event.key]; element(id).checked = !element(id).checked; set(); }
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
  show();
});
const fingers = new Map();
canvas.onpointerdown = (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); };
canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
canvas.oncontextmenu = (event) => event.preventDefault();
canvas.onpointermove = (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
  if (fingers.size > 1) {
    const other = [...fingers.values()].find((each) => each.pointerId !== event.pointerId);
    const gap = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY) || 1;
    zoom(gap(before) / gap(event)); shift(dx / 2, dy / 2);
  } else if (event.shiftKey || event.buttons & 2) shift(dx, dy);
  else turn(0.008 * dx, 0.008 * dy);
  fingers.set(event.pointerId, event);
  show();
};
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(0.0012 * event.deltaY)); show(); }, { passive: false });

// ---- start -----------------------------------------------------------------------------------------------------
function resize() {
  const width = stage.clientWidth, height = Math.max(1, stage.clientHeight);
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
  renderer.setSize(width, height, false);
  camera.aspect = width / height; camera.updateProjectionMatrix();
}
let seen = 0;
function tick(clock) {
  if (playing) {
    now = playedOn(times, now, Number(element("speed").value), clock - seen);
    show();
  }
  seen = clock;
  requestAnimationFrame(tick);
}
try {
  renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
} catch (error) {
  setTheme(theme);
  for (const part of document.querySelectorAll("footer, details, #labels, #energy")) part.style.display = "none";
  element("message").style.display = "flex";
  element("message").textContent = "This browser shows no WebGL, which the picture needs. Try another browser, or write the motion as .svg.";
}
if (renderer) {
  resize(); home(); setTheme(theme); setNames(); setPaths(); setBoxes();
  play(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  new ResizeObserver(() => { resize(); show(); }).observe(stage);
  show();
  requestAnimationFrame(tick);
}
}
