/** The graph around an entity. Loaded only when it is shown. */
import Graphology from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import { useEffect, useRef, useState } from 'react';
import { Sigma } from 'sigma';
import { resolveColor } from '../../ui/color.ts';
import { useWords } from '../../words/words.tsx';
import type { Neighbourhood } from './entityDetail.tsx';

interface GraphProps {
  readonly around: Neighbourhood;
  readonly centreId: number;
  readonly onOpen: (entityId: number) => void;
}

const LAYOUT_STEPS = 150;
const SIZE = { least: 5, more: 12 };

export default function Graph({ around, centreId, onOpen }: GraphProps) {
  const w = useWords();
  const place = useRef<HTMLDivElement>(null);
  const [isPossible] = useState(canDraw);
  useEffect(() => {
    if (!place.current || !isPossible) return;
    const drawn = draw(place.current, around, centreId);
    drawn.on('clickNode', ({ node }) => onOpen(Number(node)));
    return () => drawn.kill();
  }, [around, centreId, onOpen, isPossible]);
  if (!isPossible) return <p className="text-soft">{w.people.noGraph}</p>;
  return (
    <>
      <div
        ref={place}
        role="img"
        aria-label={w.people.graphAbout(around.entities.length)}
        className="h-96 overflow-hidden rounded-xl border border-line bg-card"
      />
      <p className="mt-2 text-sm text-faint">
        {w.people.graphAbout(around.entities.length)} {around.isCut && w.people.graphCut}
      </p>
    </>
  );
}

function canDraw(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}

function draw(place: HTMLElement, { entities, edges }: Neighbourhood, centreId: number): Sigma {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => resolveColor(style.getPropertyValue(name));
  const graph = new Graphology({ multi: true, type: 'undirected' });
  entities.forEach(({ id, name, salience }, i) => {
    const angle = (2 * Math.PI * i) / entities.length;
    const radius = id === centreId ? 0 : 1;
    graph.addNode(id, {
      label: name,
      x: radius * Math.cos(angle),
      y: radius * Math.sin(angle),
      size: SIZE.least + SIZE.more * salience,
      color: color(id === centreId ? '--accent' : '--calm'),
    });
  });
  for (const { fromEntityId, toEntityId, relation, weight } of edges)
    graph.addEdge(fromEntityId, toEntityId, {
      label: relation,
      size: 0.5 + 2 * weight,
      color: color('--line-strong'),
    });
  forceAtlas2.assign(graph, {
    iterations: LAYOUT_STEPS,
    settings: { ...forceAtlas2.inferSettings(graph), gravity: 2 },
  });
  return new Sigma(graph, place, {
    labelColor: { color: color('--ink') },
    labelFont: style.fontFamily,
    labelDensity: 1.5,
    labelRenderedSizeThreshold: 4,
    defaultDrawNodeHover: () => {},
    renderEdgeLabels: entities.length < 30,
    edgeLabelColor: { color: color('--faint') },
  });
}
