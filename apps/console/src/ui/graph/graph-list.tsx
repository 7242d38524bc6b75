import { objectStates } from '@chandlery/api';
import { useState } from 'react';
import { EmptyState } from '../notice.tsx';
import { plainText } from '../plain-text.ts';
import { stateWords } from '../state-words.ts';
import type { GraphNode } from './graph.ts';

/** More lines than these are not shown: searching finds them. */
const maxListed = 200;

interface GraphListProps {
  readonly nodes: readonly GraphNode[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

/** The nodes of a graph as a list, problems first. */
export function GraphList({ nodes, selected, onSelect }: GraphListProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = nodes
    .filter(({ title, subtitle = '' }) => `${title} ${subtitle}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => objectStates.indexOf(one.state) - objectStates.indexOf(other.state));
  return (
    <>
      <div className="toolbar">
        <label className="field-inline">
          <span>Search</span>
          <input type="search" value={search} placeholder="name" onChange={event => setSearch(event.target.value)} />
        </label>
      </div>
      {found.length === 0 && <EmptyState title="No node matches" />}
      <ul className="graph-list">
        {found.slice(0, maxListed).map(({ id, title, subtitle, state, symbol, word }) => (
          <li key={id}>
            <button type="button" aria-pressed={id === selected} onClick={() => onSelect(id)}>
              <span className={`state state-${state}`}>
                <span aria-hidden="true">{symbol ?? stateWords[state].symbol}</span> {word ?? stateWords[state].word}
              </span>
              <span className="graph-title">{plainText(title)}</span>
              <span className="quiet">{plainText(subtitle ?? '')}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > maxListed && (
        <p className="quiet">{(found.length - maxListed).toLocaleString()} more: search for what you need</p>
      )}
    </>
  );
}
