// SPDX-License-Identifier: BSD-3-Clause
// Who is not known to the server of a site gives the token that the site has handed out, and can sign out again.
import { useState } from 'preact/hooks';

import { tell } from './data';

export function Login({ onDone }: { onDone: () => void }) {
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const send = async (event: Event) => {
        event.preventDefault();
        const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token') as HTMLInputElement;
        const token = field.value.trim();
        // a header has no other characters
        if (!/^[\x21-\x7e]+$/.test(token)) {
            setProblem('A token has letters, digits and signs, and no blanks.');
            return;
        }
        setBusy(true);
        try {
            const answer = await fetch('/api/site/login', { method: 'POST', credentials: 'same-origin', headers: { Authorization: `Bearer ${token}` } });
            if (answer.ok) onDone();
            else setProblem(answer.status === 401 || answer.status === 403 ? 'This token is not known here.' : `The server answered ${answer.status}.`);
        } catch {
            setProblem('The server cannot be reached.');
        }
        setBusy(false);
    };
    return (
        <main id="main" class="page login" tabIndex={-1} data-view="login">
            <h1>Fathom</h1>
            <p>The jobs of this site, for those who ran them and for its staff. The token is the one that the site gave you.</p>
            <form onSubmit={send}>
                <label>
                    Token{' '}
                    <input name="token" type="password" autocomplete="current-password" required aria-invalid={problem ? 'true' : undefined} aria-describedby="login-problem" />
                </label>{' '}
                <button type="submit" disabled={busy}>
                    Sign in
                </button>
            </form>
            <p id="login-problem" class={problem ? 'problem' : ''} role="alert">
                {problem}
            </p>
        </main>
    );
}

/** The cookie is the server's to take away; what this page has in memory goes with a new one, and so does what it was about. */
export function SignOut() {
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const send = async () => {
        setBusy(true);
        try {
            await tell('/api/site/logout');
            window.history.replaceState(null, '', '#/');
            window.location.reload();
        } catch (error) {
            setProblem(`Not signed out: ${(error as Error).message}`);
            setBusy(false);
        }
    };
    return (
        <>
            <button type="button" class="sign-out" disabled={busy} onClick={send}>
                Sign out
            </button>{' '}
            <span class={problem ? 'problem' : undefined} role="alert">
                {problem}
            </span>
        </>
    );
}
