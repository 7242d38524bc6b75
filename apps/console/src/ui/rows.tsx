import type { ReactNode } from 'react';

interface RowsProps {
  /** Names the table, for screen readers. */
  readonly label: string;
  /** Empty: a column of buttons. */
  readonly headings: readonly string[];
  /** The rows, as `tr`. */
  readonly children: ReactNode;
}

/** A table that can be scrolled when it is wider than the page. */
export const Rows = ({ label, headings, children }: RowsProps) => (
  <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
    <table className="table">
      <thead>
        <tr>
          {headings.map(heading => (
            <th key={heading} scope="col">
              {heading === '' ? <span className="spoken">Actions</span> : heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
