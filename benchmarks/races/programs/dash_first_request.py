import threading

import dash


def program() -> None:
    app, texts = dash.Dash("app", assets_folder="none"), []
    app.layout = dash.html.Div(id="a")
    dash.callback(dash.Output("a", "children"), dash.Input("a", "title"))(str)

    def get() -> None:
        texts.append(app.server.test_client().get("/_dash-dependencies").text)

    threads = [threading.Thread(target=get) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts[0] == texts[1]
