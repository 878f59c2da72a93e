/** A colour as `rgb()`: canvas and WebGL support neither `light-dark()` nor CSS variables. */
export function resolveColor(value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
