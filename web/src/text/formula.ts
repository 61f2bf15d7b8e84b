// SPDX-License-Identifier: BSD-3-Clause
// Formulas of derived columns: numbers, names of columns, + - * / and parentheses. A formula is parsed into functions,
// never run as a script. What is unknown or divided by zero is unknown (NaN).

export type Lookup = (name: string) => number;
export type Parsed = { value: (lookup: Lookup) => number; error: '' } | { value: null; error: string };
type Value = (lookup: Lookup) => number;

const LONGEST = 300;
const DEEPEST = 50;

class Problem extends Error {}

class Parser {
    private readonly tokens: { text: string; at: number }[] = [];
    private at = 0;
    private depth = 0;

    constructor(
        text: string,
        private readonly names: ReadonlySet<string>,
    ) {
        const token = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|([-+*/()]))/y;
        while (token.lastIndex < text.trimEnd().length) {
            const start = token.lastIndex;
            const match = token.exec(text);
            if (!match) throw new Problem(`'${text.slice(start).trimStart()[0]}' cannot be in a formula.`);
            this.tokens.push({ text: match[1] ?? match[2] ?? match[3], at: start });
        }
    }

    whole(): Value {
        if (!this.tokens.length) throw new Problem('The formula is empty.');
        const value = this.sum();
        if (this.at < this.tokens.length) throw new Problem(`There is something missing before '${this.tokens[this.at].text}'.`);
        return value;
    }

    private take(...texts: string[]): string {
        const token = this.tokens[this.at];
        if (!token || !texts.includes(token.text)) return '';
        this.at++;
        return token.text;
    }

    private sum(): Value {
        let left = this.product();
        for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-')) {
            const a = left;
            const b = this.product();
            left = sign === '+' ? (lookup) => a(lookup) + b(lookup) : (lookup) => a(lookup) - b(lookup);
        }
        return left;
    }

    private product(): Value {
        let left = this.factor();
        for (let sign = this.take('*', '/'); sign; sign = this.take('*', '/')) {
            const a = left;
            const b = this.factor();
            left = sign === '*' ? (lookup) => a(lookup) * b(lookup) : (lookup) => a(lookup) / (b(lookup) || NaN);
        }
        return left;
    }

    private factor(): Value {
        if (++this.depth > DEEPEST) throw new Problem('The formula has too many parentheses.');
        const value = this.plain();
        this.depth--;
        return value;
    }

    private plain(): Value {
        if (this.take('-')) {
            const value = this.factor();
            return (lookup) => -value(lookup);
        }
        if (this.take('(')) {
            const value = this.sum();
            if (!this.take(')')) throw new Problem('A closing parenthesis is missing.');
            return value;
        }
        const token = this.tokens[this.at++];
        if (!token) throw new Problem('The formula ends too early.');
        if (/^[\d.]/.test(token.text)) {
            const number = Number(token.text);
            return () => number;
        }
        if (!/^[A-Za-z_]/.test(token.text)) throw new Problem(`A number or a column is missing before '${token.text}'.`);
        if (!this.names.has(token.text))
            throw new Problem(`There is no column '${token.text.slice(0, 40)}'; there are ${[...this.names].join(', ')}.`);
        return (lookup) => lookup(token.text);
    }
}

export function parseFormula(text: string, names: Iterable<string>): Parsed {
    try {
        if (text.length > LONGEST) throw new Problem(`The formula is longer than ${LONGEST} characters.`);
        return { value: new Parser(text, new Set(names)).whole(), error: '' };
    } catch (error) {
        if (error instanceof Problem) return { value: null, error: error.message };
        throw error;
    }
}
