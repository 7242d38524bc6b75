import { fetchMember, slice } from '../values/access.ts';
import { fail } from '../values/failure.ts';
import { Bytes, Callable, createMap, type StringMap, typeName, type Value } from '../values/value.ts';
import { compileClosureCall } from './closures.ts';
import { compileBinary, compileUnary, toBool, toText } from './compile-operators.ts';
import type { Code, Frame } from './frame.ts';
import type { BuiltinNode, CallNode, MemberNode, Node } from './node.ts';
import { closureFunctions } from './parser.ts';

/** A function of the language. Throws a Failure. */
export type Builtin = (args: readonly Value[], frame: Frame) => Value;

/** What an optional chain gives when a part of it is nil. */
const brokenChain = new Error('a part of an optional chain is nil');

export interface CompileOptions {
  readonly builtins: ReadonlyMap<string, Builtin>;
  /** Values that exist in every environment: functions of Argo and sprig. */
  readonly globals: StringMap;
}

/** Turns a tree into functions. */
export function compileNode(node: Node, options: CompileOptions): Code {
  return new Compiler(options).compile(node, new Map());
}

type Slots = ReadonlyMap<string, number>;

class Compiler {
  readonly #options: CompileOptions;
  #slotCount = 0;

  constructor(options: CompileOptions) {
    this.#options = options;
  }

  compile(node: Node, slots: Slots): Code {
    const compile = (child: Node): Code => this.compile(child, slots);
    switch (node.type) {
      case 'literal':
        return () => node.value;
      case 'bytes':
        return () => new Bytes(Buffer.from(node.value, 'latin1'));
      case 'identifier':
        return this.#compileIdentifier(node.name, slots);
      case 'unary':
        return compileUnary(node, compile);
      case 'binary':
        return compileBinary(node, compile);
      case 'member':
        return compileMember(node, compile);
      case 'chain':
        return compileChain(compile(node.node));
      case 'slice':
        return compileSlice(
          node.position,
          [node.base, node.from, node.to].map(part => part && compile(part)),
        );
      case 'call':
        return compileCall(node, compile);
      case 'builtin':
        return this.#compileBuiltin(node, compile);
      case 'closure':
        return compile(node.body);
      case 'pointer':
        return pointers[node.name] ?? (() => null);
      case 'conditional':
        return compileConditional(
          node.position,
          compile(node.condition),
          compile(node.whenTrue),
          compile(node.whenFalse),
        );
      case 'variable':
        return this.#compileVariable(node.name, compile(node.value), node.body, slots);
      case 'sequence':
        return compileSequence(node.nodes.map(compile));
      case 'list':
        return compileList(node.items.map(compile));
      case 'map':
        return compileMap(node.pairs.map(([key, value]) => [compile(key), compile(value)]));
    }
  }

  #compileIdentifier(name: string, slots: Slots): Code {
    const slot = slots.get(name);
    if (slot !== undefined) return ({ variables }) => variables[slot] ?? null;
    if (name === '$env') return ({ env }) => env;
    const { globals } = this.#options;
    if (Object.hasOwn(globals, name)) return () => globals[name] ?? null;
    return ({ env }) => (Object.hasOwn(env, name) ? (env[name] ?? null) : null);
  }

  #compileVariable(name: string, value: Code, body: Node, slots: Slots): Code {
    const slot = this.#slotCount++;
    const code = this.compile(body, new Map([...slots, [name, slot]]));
    return frame => {
      frame.variables[slot] = value(frame);
      return code(frame);
    };
  }

  #compileBuiltin({ name, position, args }: BuiltinNode, compile: (node: Node) => Code): Code {
    const codes = args.map(compile);
    if (Object.hasOwn(closureFunctions, name)) return compileClosureCall(name, position, codes);
    const builtin = this.#options.builtins.get(name);
    if (builtin === undefined) throw new Error(`function ${name} has no implementation`);
    return frame => {
      const values = codes.map(code => code(frame));
      frame.meter.charge(1);
      frame.position = position;
      return builtin(values, frame);
    };
  }
}

const pointers: Readonly<Record<string, Code>> = {
  '': ({ scope }) => scope?.item ?? null,
  acc: ({ scope }) => scope?.accumulator ?? null,
  index: ({ scope }) => BigInt(scope?.index ?? 0),
};

function compileMember({ base, property, isOptional, position }: MemberNode, compile: (node: Node) => Code): Code {
  const readBase = compile(base);
  const readKey = compile(property);
  return frame => {
    const value = readBase(frame);
    if (isOptional && value === null) throw brokenChain;
    const key = readKey(frame);
    frame.meter.charge(1);
    frame.position = position;
    return fetchMember(value, key, frame.meter);
  };
}

/** `a?.b.c` is nil as a whole when `a` is nil. */
function compileChain(code: Code): Code {
  return frame => {
    try {
      return code(frame);
    } catch (thrown) {
      if (thrown === brokenChain) return null;
      throw thrown;
    }
  };
}

function compileSlice(position: number, [base, from, to]: readonly (Code | undefined)[]): Code {
  return frame => {
    const value = base?.(frame) ?? null;
    const end = to?.(frame);
    const start = from?.(frame);
    frame.meter.charge(1);
    frame.position = position;
    return slice(value, start, end, frame.meter);
  };
}

function compileCall({ callee, args, position }: CallNode, compile: (node: Node) => Code): Code {
  const readCallee = compile(callee);
  const codes = args.map(compile);
  return frame => {
    const callable = readCallee(frame);
    const values = codes.map(code => code(frame));
    frame.meter.charge(1);
    frame.position = position;
    if (callable instanceof Callable) return callable.call(values, frame);
    if (callable === null) return fail('invalid operation: cannot call nil');
    return fail(`invalid operation: cannot call non-function of type ${typeName(callable)}`);
  };
}

function compileConditional(position: number, condition: Code, whenTrue: Code, whenFalse: Code): Code {
  return frame => {
    const value = condition(frame);
    frame.meter.charge(1);
    frame.position = position;
    return toBool(value) ? whenTrue(frame) : whenFalse(frame);
  };
}

const compileSequence =
  (codes: readonly Code[]): Code =>
  frame =>
    codes.reduce<Value>((_, code) => code(frame), null);

const compileList =
  (codes: readonly Code[]): Code =>
  frame => {
    frame.meter.charge(1 + codes.length);
    return codes.map(code => code(frame));
  };

const compileMap =
  (pairs: readonly (readonly [Code, Code])[]): Code =>
  frame => {
    frame.meter.charge(1 + pairs.length);
    return createMap(pairs.map(([key, value]) => [toText(key(frame)), value(frame)]));
  };
