import { useState } from 'react';
import { send } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { flattened, isSafe, type OpenApi, type Operation, type Parameter } from './open-api.ts';
import { curlOf, type Filled, fillable, missingValues, requestOf, type TriedRequest, valueKey } from './try-request.ts';

interface TryOperationProps {
  readonly document: OpenApi;
  readonly operation: Operation;
}

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly tookMs: number;
  readonly contentType: string;
  readonly text: string;
  readonly isCut: boolean;
}

type Outcome =
  | { readonly type: 'sending' }
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly error: unknown };

/** Sends a request with the token of the session, which is never shown, to this landscape alone. */
export function TryOperation({ document, operation }: TryOperationProps) {
  const [filled, setFilled] = useState<Filled>({ values: {}, body: '' });
  const [outcome, setOutcome] = useState<Outcome>();
  const [asked, setAsked] = useState<TriedRequest>();
  const [isCopied, setCopied] = useState(false);
  const missing = missingValues(operation, filled);
  const request = requestOf(operation, filled);
  const perform = async (tried: TriedRequest): Promise<void> => {
    setAsked(undefined);
    setOutcome({ type: 'sending' });
    try {
      setOutcome({ type: 'answered', answer: await answerTo(tried) });
    } catch (error) {
      setOutcome({ type: 'failed', error });
    }
  };
  const setValue = (parameter: Parameter, value: string): void => {
    setFilled(before => ({ ...before, values: { ...before.values, [valueKey(parameter)]: value } }));
    setCopied(false);
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(curlOf(request, location.origin));
    setCopied(true);
  };
  return (
    <section className="card" aria-label="Try it">
      <h2>Try it</h2>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (missing.length > 0) return;
          if (isSafe(operation.method)) void perform(request);
          else setAsked(request);
        }}
      >
        {fillable(operation).map(parameter => (
          <label key={valueKey(parameter)} className="field">
            <span>
              {plainText(parameter.name)}
              {(parameter.required === true || parameter.in === 'path') && ' (required)'}
            </span>
            <ParameterInput
              document={document}
              parameter={parameter}
              value={filled.values[valueKey(parameter)] ?? ''}
              onChange={value => setValue(parameter, value)}
            />
          </label>
        ))}
        {operation.body !== undefined && (
          <label className="field">
            <span>Body</span>
            <textarea
              rows={8}
              spellCheck={false}
              className="code-input"
              value={filled.body}
              onChange={event => {
                setFilled(before => ({ ...before, body: event.target.value }));
                setCopied(false);
              }}
            />
          </label>
        )}
        <p className="tried-path">
          <code>
            {operation.method.toUpperCase()} {plainText(request.path)}
          </code>
        </p>
        <div className="actions">
          <Button
            kind="primary"
            type="submit"
            disabledReason={missing.length === 0 ? undefined : `Fill in ${missing.join(', ')} first`}
          >
            {isSafe(operation.method) ? 'Send' : 'Send…'}
          </Button>
          <Button onClick={() => void copy()}>Copy as curl</Button>
          {isCopied && <span role="status">✓ Copied, without the token</span>}
        </div>
      </form>
      {outcome?.type === 'sending' && <Loading what="the response" />}
      {outcome?.type === 'failed' && <FailureNotice goal="send this request" error={outcome.error} />}
      {outcome?.type === 'answered' && <AnswerView answer={outcome.answer} />}
      {asked !== undefined && (
        <Dialog title={`Send ${asked.method.toUpperCase()}?`} onClose={() => setAsked(undefined)}>
          <p>This request may change the landscape, with your rights:</p>
          <p>
            <code>
              {asked.method.toUpperCase()} {plainText(asked.path)}
            </code>
          </p>
          <div className="actions">
            <Button kind="danger" onClick={() => void perform(asked)}>
              Send it
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

interface ParameterInputProps {
  readonly document: OpenApi;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterInput({ document, parameter, value, onChange }: ParameterInputProps) {
  const choices = flattened(document, parameter.schema)?.enum;
  if (choices === undefined)
    return (
      <input value={value} spellCheck={false} autoComplete="off" onChange={event => onChange(event.target.value)} />
    );
  return (
    <select value={value} onChange={event => onChange(event.target.value)}>
      <option value="">–</option>
      {choices.map(choice => (
        <option key={String(choice)}>{String(choice)}</option>
      ))}
    </select>
  );
}

/** More of a response is not shown; streams are cut here, too. */
const maxShownBytes = 200_000;
const maxWaitMs = 30_000;

async function answerTo({ method, path, headers, body }: TriedRequest): Promise<Answer> {
  const startedAt = performance.now();
  const stop = AbortSignal.timeout(maxWaitMs);
  const response = await send(path, {
    method: method.toUpperCase() as 'GET',
    headers: { accept: 'application/json, */*;q=0.5', ...headers },
    signal: stop,
    ...(body !== '' && { body }),
  });
  const { text, isCut } = await beginningOf(response);
  return {
    status: response.status,
    statusText: response.statusText,
    tookMs: Math.round(performance.now() - startedAt),
    contentType: response.headers.get('content-type') ?? '',
    text: isCut ? text : indented(text),
    isCut,
  };
}

async function beginningOf(response: Response): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return { text, isCut: false };
    text += value;
    if (text.length <= maxShownBytes) continue;
    await reader?.cancel();
    return { text: text.slice(0, maxShownBytes), isCut: true };
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { status, statusText, tookMs, contentType, text, isCut } = answer;
  const isGood = status < 400;
  return (
    <div className="answer" role="status">
      <p>
        <span className={`state ${isGood ? 'state-ready' : 'state-failed'}`}>
          <span aria-hidden="true">{isGood ? '✓' : '✗'}</span> {status} {statusText}
        </span>{' '}
        <span className="quiet">
          {tookMs} ms · {plainText(contentType)}
        </span>
      </p>
      <pre className="answer-text" aria-label="Response" tabIndex={0}>
        {plainText(text) || 'The response is empty'}
      </pre>
      {isCut && <p className="quiet">This is the beginning: the response is longer</p>}
    </div>
  );
}
