import type { ReactNode } from 'react';
import { explainFailure } from '../api/api-failure.ts';
import { plainText } from './plain-text.ts';

/** A message that stands in the page. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'info' | 'success' | 'warning' | 'error';
  readonly children: ReactNode;
}) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What failed, why, and what to do next. */
export function FailureNotice({ goal, error }: { readonly goal: string; readonly error: unknown }) {
  const { message, hint } = explainFailure(error);
  return (
    <Notice kind="error">
      <strong>Cannot {goal}</strong>
      <p>{message}</p>
      {hint !== '' && <p className="quiet">{hint}</p>}
    </Notice>
  );
}

interface FailurePageProps {
  /** What cannot be shown. */
  readonly title: string;
  readonly goal: string;
  readonly error: unknown;
}

/** A page of which nothing can be shown. */
export const FailurePage = ({ title, goal, error }: FailurePageProps) => (
  <>
    <header className="page-head">
      <h1>{plainText(title)}</h1>
    </header>
    <FailureNotice goal={goal} error={error} />
  </>
);

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** Whether the page shows nothing else. Default false. */
  readonly isPage?: boolean;
}

/** What a view shows when it has nothing: why, and what to do about it. */
export function EmptyState({ title, children, isPage = false }: EmptyStateProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {children}
    </div>
  );
}

/** Names what is being waited for. */
export const Loading = ({ what }: { readonly what: string }) => (
  <p className="loading" role="status">
    Loading {what}…
  </p>
);
