import { objectStates } from '@chandlery/api';
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { Loading } from '../notice.tsx';
import { plainText } from '../plain-text.ts';
import { stateWords } from '../state-words.ts';
import { useLoaded } from '../use-request.ts';
import type { GraphEdge, GraphNode } from './graph.ts';
import type { GraphLayout } from './layout-graph.ts';
import { type Direction, nearestPlace } from './nearest-place.ts';
import type { Fold, VisibleGraph } from './visible-graph.ts';

interface GraphDrawingProps {
  readonly label: string;
  readonly graph: VisibleGraph;
  readonly legend: Legend;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly onOpen: (fold: Fold) => void;
}

/** What lines of a state mean. */
export type Legend = readonly (readonly [state: (typeof lineStates)[number], meaning: string])[];

const lineStates = ['none', 'ready', 'failed'] as const;

const minScale = 0.25;
const maxScale = 1.5;
const zoomStep = 1.25;
/** Smaller than this, names cannot be read: a drawing begins no smaller, and is scrolled instead. */
const minFirstScale = 0.75;

const clampScale = (scale: number): number => Math.min(maxScale, Math.max(minScale, scale));

/** The drawing. It is scrolled like any content, by keys, wheel, touch or by dragging, and its nodes are buttons. */
export function GraphDrawing(props: GraphDrawingProps) {
  const { graph } = props;
  const ids = useMemo(() => [...graph.nodes, ...graph.folds].map(({ id }) => id), [graph]);
  // The layout depends on what is there, not on how it is.
  const shape = JSON.stringify([ids, graph.edges.map(({ from, to }) => [from, to])]);
  const [last, setLast] = useState<{ readonly shape: string; readonly layout: GraphLayout }>();
  const { value } = useLoaded(async () => {
    const { layoutGraph } = await import('./layout-graph.ts');
    return { shape, layout: layoutGraph(ids, graph.edges) };
  }, [shape]);
  useEffect(() => {
    if (value !== undefined) setLast(value);
  }, [value]);
  if (last === undefined) return <Loading what="the drawing" />;
  // Until the new layout is there, what the last one places stays where it is.
  return <Canvas {...props} layout={last.layout} />;
}

function Canvas({
  label,
  graph,
  legend,
  layout,
  selected,
  onSelect,
  onOpen,
}: GraphDrawingProps & { readonly layout: GraphLayout }) {
  const frame = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState<number>();
  const fit = (least: number): void => {
    const width = frame.current?.clientWidth ?? layout.width;
    setScale(clampScale(Math.max(least, Math.min(1, width / layout.width))));
  };
  useEffect(() => {
    if (scale === undefined) fit(minFirstScale);
  });
  useWheelZoom(frame, factor => setScale(before => clampScale((before ?? 1) * factor)));
  const byId = new Map(layout.places.map(place => [place.id, place]));
  const known = ({ id }: { readonly id: string }): boolean => byId.has(id);
  const [focused, setFocused] = useState<string>();
  const reachable = [focused, selected, layout.places[0]?.id].find(id => id !== undefined && byId.has(id));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = zoomKeys[event.key];
    if (step !== undefined) return setScale(before => (step === 0 ? 1 : clampScale((before ?? 1) * step)));
    const direction = directions[event.key];
    if (direction === undefined || reachable === undefined) return;
    const next = nearestPlace(layout.places, reachable, direction);
    event.preventDefault();
    if (next !== undefined) frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next.id)}"]`)?.focus();
  };
  const shown = scale ?? 1;
  const placed = (id: string) => {
    const { x = 0, y = 0 } = byId.get(id) ?? {};
    return {
      style: { transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` },
      'data-node': id,
      tabIndex: id === reachable ? 0 : -1,
      onFocus: () => setFocused(id),
    };
  };
  return (
    <>
      <div className="graph-frame" ref={frame} onKeyDown={onKeyDown} {...useDragging(frame)}>
        <div className="graph-area" style={{ width: layout.width * shown, height: layout.height * shown }}>
          <div className="graph-content" style={{ transform: `scale(${shown})` }} role="group" aria-label={label}>
            <Lines layout={layout} edges={graph.edges} />
            {graph.nodes.filter(known).map(node => (
              <NodeButton
                key={node.id}
                node={node}
                isSelected={node.id === selected}
                onSelect={() => onSelect(node.id)}
                placed={placed(node.id)}
              />
            ))}
            {graph.folds.filter(known).map(fold => (
              <FoldButton key={fold.id} fold={fold} onOpen={() => onOpen(fold)} placed={placed(fold.id)} />
            ))}
          </div>
        </div>
      </div>
      <div className="graph-zoom">
        <Button onClick={() => setScale(clampScale(shown / zoomStep))} aria-label="Zoom out" title="Zoom out (-)">
          −
        </Button>
        <Button onClick={() => setScale(clampScale(shown * zoomStep))} aria-label="Zoom in" title="Zoom in (+)">
          +
        </Button>
        <Button onClick={() => fit(minScale)}>Fit</Button>
        <span className="quiet">Arrow keys go from node to node, Enter opens one</span>
        {legend.length > 0 && <LegendList legend={legend} />}
      </div>
    </>
  );
}

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};
/** By how much keys zoom; 0: to the real size. */
const zoomKeys: Readonly<Record<string, number>> = { '+': zoomStep, '-': 1 / zoomStep, '0': 0 };

interface Placed {
  readonly style: { readonly transform: string };
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

interface NodeButtonProps {
  readonly node: GraphNode;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly placed: Placed;
}

function NodeButton({ node, isSelected, onSelect, placed }: NodeButtonProps) {
  const { state, title, subtitle = '' } = node;
  const { symbol, word } = { ...stateWords[state], ...pick(node) };
  return (
    <button
      type="button"
      className={`graph-node node-${state}`}
      aria-pressed={isSelected}
      onClick={onSelect}
      {...placed}
    >
      <span className={`graph-symbol state-${state}`} aria-hidden="true">
        {symbol}
      </span>
      <span className="graph-title" title={plainText(title)}>
        {plainText(title)}
      </span>
      <span className="graph-subtitle">
        <span className={`state-${state}`}>{word}</span>
        {subtitle !== '' && ` · ${plainText(subtitle)}`}
      </span>
    </button>
  );
}

const pick = ({ symbol, word }: GraphNode) => ({ ...(symbol && { symbol }), ...(word && { word }) });

interface FoldButtonProps {
  readonly fold: Fold;
  readonly onOpen: () => void;
  readonly placed: Placed;
}

function FoldButton({ fold: { members, counts, state }, onOpen, placed }: FoldButtonProps) {
  return (
    <button type="button" className={`graph-node graph-fold node-${state}`} onClick={onOpen} {...placed}>
      <span className="graph-symbol" aria-hidden="true">
        ⊞
      </span>
      <span className="graph-title">{members.length.toLocaleString()} more</span>
      <span className="graph-subtitle">
        {objectStates
          .filter(each => counts[each] !== undefined)
          .map(each => `${stateWords[each].symbol} ${counts[each]?.toLocaleString()} ${stateWords[each].word}`)
          .join(' · ')}
      </span>
    </button>
  );
}

const LegendList = ({ legend }: { readonly legend: Legend }) => (
  <ul className="legend" aria-label="Lines">
    {legend.map(([state, meaning]) => (
      <li key={meaning}>
        <svg width="28" height="8" aria-hidden="true">
          <g className={`graph-line line-${state}`}>
            <path d="M0 4H28" />
          </g>
        </svg>
        {meaning}
      </li>
    ))}
  </ul>
);

function Lines({ layout, edges }: { readonly layout: GraphLayout; readonly edges: readonly GraphEdge[] }) {
  const marker = useId();
  const byEnds = new Map(edges.map(edge => [`${edge.from}\n${edge.to}`, edge]));
  return (
    <svg className="graph-lines" width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        {lineStates.map(state => (
          <marker
            key={state}
            id={`${marker}${state}`}
            className={`line-${state}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        ))}
      </defs>
      {layout.lines.map(({ edge: { from, to }, points }) => {
        const edge = byEnds.get(`${from}\n${to}`);
        if (edge === undefined) return null;
        const state = edge.state ?? 'none';
        const middle = points[Math.floor(points.length / 2)];
        return (
          <g key={`${from}\n${to}`} className={`graph-line line-${state}`}>
            <path d={pathOf(points)} markerEnd={`url(#${marker}${state})`} />
            {edge.label !== undefined && middle !== undefined && (
              <text x={middle.x} y={middle.y - 5} textAnchor="middle">
                {plainText(edge.label)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** A line through points whose corners are rounded. */
function pathOf(points: GraphLayout['lines'][number]['points']): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = rest.map(({ x, y }, at) => {
    const next = rest[at + 1];
    return next === undefined ? `L${x} ${y}` : `Q${x} ${y} ${(x + next.x) / 2} ${(y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y}${parts.join('')}`;
}

/** The wheel zooms with Ctrl, as in browsers; without, it scrolls. */
function useWheelZoom(frame: React.RefObject<HTMLElement | null>, zoom: (factor: number) => void): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      latest.current(event.deltaY < 0 ? zoomStep : 1 / zoomStep);
    };
    const element = frame.current;
    // React's own listener is passive: it could not keep the browser from zooming the page.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [frame]);
}

/** The background is dragged with a mouse; touch scrolls by itself. */
function useDragging(frame: React.RefObject<HTMLElement | null>) {
  const isOnBackground = ({ target, pointerType, button }: PointerEvent): boolean =>
    pointerType === 'mouse' && button === 0 && (target as Element).closest('button') === null;
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (isOnBackground(event)) frame.current?.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      if (frame.current?.hasPointerCapture(event.pointerId)) frame.current.scrollBy(-event.movementX, -event.movementY);
    },
  };
}
